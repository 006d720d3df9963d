create table if not exists sale (
  payment text primary key,
  domain text,
  order_id text,
  pay_back text
);
