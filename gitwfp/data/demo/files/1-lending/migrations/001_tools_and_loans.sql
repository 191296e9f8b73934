create table tools (
  id        bigint generated always as identity primary key,
  name      text not null,
  shelf     text not null,
  deposit   integer not null default 0 check (deposit >= 0)
);

create table loans (
  id          bigint generated always as identity primary key,
  tool_id     bigint not null references tools,
  member_id   bigint not null,
  fetched_on  date not null,
  due_on      date not null check (due_on > fetched_on),
  returned_on date
);

-- One tool is out at most once.
create unique index loans_open on loans (tool_id) where returned_on is null;
