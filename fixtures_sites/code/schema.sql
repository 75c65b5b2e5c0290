create table users (
  id integer primary key, username text unique, name text, email text, password text, bio text, location text,
  company text, website text default '', pronouns text default '', status text, joined text);
create table groups (id integer primary key, slug text unique, name text, description text, visibility text);
create table group_members (grp integer, user integer, role integer, primary key (grp, user));
create table projects (
  id integer primary key, namespace text, slug text, path text unique, name text, description text, language text,
  license text, topics text, visibility text, archived integer default 0, stars integer, forks integer,
  forked_from text default '', created text, updated text, default_branch text default 'main');
create table stars (user integer, project integer, primary key (user, project));
create table levels (user integer, project integer, level text, primary key (user, project));
create table members (project integer, user integer, role integer, since text, expires text default '',
  primary key (project, user));
create table files (
  id integer primary key, project integer, branch text, path text, content text, commit_id integer);
create table commits (
  id integer primary key, project integer, branch text, sha text, author integer, title text, at text, paths text);
create table branches (project integer, name text, protected integer default 0, primary key (project, name));
create table tags (project integer, name text, commit_id integer, message text, primary key (project, name));
create table releases (id integer primary key, project integer, tag text, title text, notes text, at text);
create table labels (id integer primary key, project integer, name text, color text, description text);
create table milestones (
  id integer primary key, project integer, title text, description text, due text, state text);
create table issues (
  id integer primary key, project integer, iid integer, title text, body text, author integer, assignee integer,
  milestone integer, state text, created text, updated text, due text default '', confidential integer default 0);
create table issue_labels (issue integer, label integer, primary key (issue, label)) without rowid;
create table merges (
  id integer primary key, project integer, iid integer, title text, body text, author integer, assignee integer,
  reviewer integer, source text, target text, state text, draft integer, conflicts integer, created text,
  updated text, merged_by integer, squashed integer default 0);
create table approvals (merge integer, user integer, primary key (merge, user));
create table comments (id integer primary key, kind text, target integer, author integer, body text, at text);
create table snippets (
  id integer primary key, author integer, title text, description text, filename text, content text,
  visibility text, created text);
create table wiki (
  id integer primary key, project integer, slug text, title text, content text, author integer, updated text);
create table tokens (
  id integer primary key, user integer, name text, scopes text, expires text, created text, revoked integer default 0);
create table todos (
  id integer primary key, user integer, project integer, kind text, target integer, action text, by integer,
  at text, done integer default 0);
create index files_project on files (project);
create index commits_project on commits (project);
create index commits_author on commits (author);
create index issues_project on issues (project);
create index merges_project on merges (project);
create index comments_target on comments (kind, target);
create index members_user on members (user);
create index labels_project on labels (project);
