create table if not exists quote (
  checkout text primary key,
  id text not null,
  domain text not null,
  price integer not null,
  currency text not null
);
create table if not exists sale (
  payment text primary key,
  domain text,
  order_id text,
  pay_back text
);
create table if not exists progress (
  order_id text primary key,
  event text not null,
  at bigint not null
);
