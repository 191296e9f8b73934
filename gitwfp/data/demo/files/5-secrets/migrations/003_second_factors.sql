create table second_factors (
  member_id    bigint primary key references members on delete cascade,
  secret       bytea not null,
  key_id       text not null,
  confirmed_at timestamptz,
  last_step    bigint not null default 0
);
