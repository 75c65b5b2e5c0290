create table categories (id integer primary key, slug text unique, name text, parent integer);
create table brands (id integer primary key, slug text unique, name text);
create table products (
  id integer primary key, slug text unique, sku text unique, name text, brand integer, category integer,
  price integer, list_price integer, stock integer, released text, description text,
  rating real default 0, reviews integer default 0, search text);
create table options (product integer, kind text, value text, position integer);
create table facts (product integer, name text, value text);
create table reviews (
  id integer primary key, product integer, author text, rating integer, title text, text text, day text,
  helpful integer default 0, user integer);
create table users (
  id integer primary key, email text unique, password text, name text, phone text, newsletter integer default 0);
create table addresses (
  id integer primary key, user integer, name text, street text, city text, state text, zip text,
  preferred integer default 0);
create table coupons (code text primary key, kind text, value integer, minimum integer, until text, text text);
create table orders (
  number text primary key, user integer, email text, day text, status text, subtotal integer,
  discount integer, shipping integer, total integer, method text, recipient text, street text, city text,
  state text, zip text, card text, coupon text, gift_note text default '');
create table order_lines (
  id integer primary key, number text, product integer, options text, quantity integer, price integer);
create table cart (id integer primary key, product integer, options text, quantity integer);
create table wishes (user integer, product integer, primary key (user, product));
create table newsletter (email text primary key);
create table messages (id integer primary key, email text, topic text, number text, text text);
create table returns (
  id integer primary key, number text, line integer, reason text, note text);
create index products_category on products (category);
create index options_product on options (product);
create index facts_product on facts (product);
create index reviews_product on reviews (product);
create index lines_number on order_lines (number);
create index orders_user on orders (user);
