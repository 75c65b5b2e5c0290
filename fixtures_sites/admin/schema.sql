drop table facts;
drop table cart;
drop table wishes;
drop table newsletter;
drop table messages;
drop table returns;
alter table products add column enabled integer default 1;
alter table reviews add column status text default 'Approved';
alter table users add column grp text default 'General';
alter table users add column blocked integer default 0;
alter table users add column joined text default '2024-02-01';
alter table orders add column carrier text default '';
alter table orders add column tracking text default '';
alter table orders add column invoice text default '';
alter table orders add column refunded integer default 0;
alter table coupons add column since text default '2026-01-01';
alter table coupons add column active integer default 1;
alter table coupons add column used integer default 0;
create table refunds (id integer primary key, number text, amount integer, reason text, day text);
create table order_notes (id integer primary key, number text, text text, told integer);
create table customer_notes (id integer primary key, user integer, text text);
create table terms (term text, month text, uses integer, results integer);
create table staff (
  id integer primary key, login text unique, password text, name text, email text, role text, active integer);
create table activity (id integer primary key, time text, login text, what text);
create table pages (id integer primary key, slug text unique, title text, body text, active integer);
create table blocks (id integer primary key, slug text unique, title text, body text, active integer);
create table methods (
  id integer primary key, name text unique, price integer, days integer, active integer);
create table taxes (id integer primary key, state text unique, rate text, shipping_too integer);
create table attributes (id integer primary key, name text unique, vals text, filterable integer);
create table store (
  id integer primary key, name text, email text, phone text, street text, city text, state text, zip text,
  hours text, free_from integer);
create table mails (id integer primary key, grp text, subject text, text text, recipients integer);
create table exports (id integer primary key, what text, since text, until text);
create index orders_day on orders (day);
create index lines_product on order_lines (product);
create index reviews_status on reviews (status);
