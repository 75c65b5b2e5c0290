create table users (
  id integer primary key, name text unique collate nocase, email text, password text, joined text, about text default '',
  avatar text default '', location text default '', mail_replies integer default 1, mail_messages integer default 1,
  mail_digest text default 'weekly', born text default '');
create table boards (id integer primary key, slug text unique, name text, kind text, about text, members integer);
create table tags (board integer, name text, primary key (board, name));
create table moderators (board integer, user integer, primary key (board, user));
create table threads (
  id integer primary key, slug text, board integer, author integer, title text, text text, created text,
  edited text default '', last text, replies integer default 0, up integer default 1, down integer default 0,
  locked integer default 0, pinned integer default 0, gone text default '');
create table thread_tags (thread integer, tag text, primary key (thread, tag));
create table posts (
  id integer primary key, thread integer, number integer, parent integer, author integer, text text, created text,
  edited text default '', up integer default 1, down integer default 0, gone text default '');
create table polls (thread integer primary key, question text, closes text);
create table options (id integer primary key, thread integer, text text, votes integer default 0);
create table ballots (user integer, thread integer, option integer, primary key (user, thread));
create table votes (user integer, kind text, item integer, value integer, primary key (user, kind, item));
create table follows (user integer, kind text, item integer, primary key (user, kind, item));
create table bookmarks (user integer, kind text, item integer, primary key (user, kind, item));
create table drafts (id integer primary key, user integer, board integer, title text, text text, tags text, saved text);
create table messages (
  id integer primary key, sender integer, recipient integer, subject text, text text, sent text, read integer default 0,
  hidden integer default 0);
create table notifications (
  id integer primary key, user integer, actor integer, what text, thread integer, post integer, created text,
  read integer default 0);
create table reports (
  id integer primary key, user integer, kind text, item integer, reason text, note text, created text,
  state text default 'open');
create index threads_board on threads (board);
create index threads_author on threads (author);
create index posts_thread on posts (thread);
create index posts_author on posts (author);
create index options_thread on options (thread);
create index tags_tag on thread_tags (tag);
