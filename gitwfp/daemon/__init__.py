"""The daemon: reads and judges plans as they are saved, and tells whoever listens."""
