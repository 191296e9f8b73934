create table members (
  id            bigint generated always as identity primary key,
  email         text not null unique,
  name          text not null,
  address       text not null,
  password_hash text not null,
  role          text not null default 'member' check (role in ('member', 'steward'))
);

create table sessions (
  token_hash bytea primary key,
  member_id  bigint not null references members on delete cascade,
  expires_at timestamptz not null
);

alter table loans add foreign key (member_id) references members;
