create table airports (
  code text primary key, city text, name text, country text, lat real, lon real, zone integer);
create table airlines (code text primary key, name text);
create table flights (
  id integer primary key, number text unique, airline text, origin text, destination text, departs integer,
  minutes integer, stops integer, via text, days text, base integer, aircraft text);
create table hotels (
  id integer primary key, slug text unique, name text, chain text, city text, country text, street text,
  stars integer, distance real, free_cancellation integer, description text, rating real, reviews integer,
  lowest integer, amenities text, phone text);
create table rooms (
  id integer primary key, hotel integer, name text, beds text, sleeps integer, price integer,
  breakfast integer, refundable integer, available integer);
create table reviews (
  id integer primary key, hotel integer, author text, rating integer, title text, text text, day text, user integer);
create table users (
  id integer primary key, email text unique, password text, title text, first text, last text, phone text,
  born text, address text default '', meal text default 'No preference', newsletter integer default 0, member text, tier text);
create table points (id integer primary key, user integer, day text, text text, points integer);
create table bookings (
  id integer primary key, ref text unique, user integer, kind text, status text, booked text, name text, email text,
  phone text, total integer, card text, insurance integer default 0, refund integer, promo text default '');
create table legs (
  id integer primary key, booking integer, place integer, flight integer, day text, fare text, cabin text,
  checked_in integer default 0);
create table travellers (
  id integer primary key, booking integer, place integer, kind text, title text, first text, last text, born text,
  passport text default '', nationality text default '', bags integer default 0);
create table seats (booking integer, leg integer, traveller integer, seat text, primary key (booking, leg, traveller));
create table stays (
  booking integer primary key, hotel integer, room integer, checkin text, checkout text, rooms integer, adults integer,
  children text, arrival text, request text);
create table alerts (id integer primary key, email text, origin text, destination text, ceiling integer);
create table newsletter (email text primary key);
create table messages (id integer primary key, email text, topic text, ref text, text text);
create table saved (user integer, hotel integer, primary key (user, hotel));
create index flights_route on flights (origin, destination);
create index hotels_city on hotels (city);
create index rooms_hotel on rooms (hotel);
create index reviews_hotel on reviews (hotel);
create index legs_booking on legs (booking);
create index travellers_booking on travellers (booking);
create index bookings_user on bookings (user);
