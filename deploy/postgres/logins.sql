-- The logins of an installation, least privileges each (docs/guides/deploy.md). Run by an administrator of the server; a
-- second run adds what is missing and changes no password:
--   export OWNER_PASSWORD=… GATEWAY_PASSWORD=… WORKER_PASSWORD=… RETRIEVAL_PASSWORD=…
--   psql "$ADMIN_URL" -f deploy/postgres/logins.sql
-- The passwords come from the environment: other users of a machine can read command lines.
-- An installation with a DATABASE_ROLE_PREFIX of its own: -v prefix=<prefix>. Synthesis has no database.
\set ON_ERROR_STOP on
\if :{?prefix} \else \set prefix candor \endif
\getenv owner_password OWNER_PASSWORD
\getenv gateway_password GATEWAY_PASSWORD
\getenv worker_password WORKER_PASSWORD
\getenv retrieval_password RETRIEVAL_PASSWORD
SELECT :'prefix' || '_app' AS app, :'prefix' || '_system' AS system, :'prefix' || '_owner' AS owner,
  :'prefix' || '_gateway' AS gateway, :'prefix' || '_worker' AS worker, :'prefix' || '_retrieval' AS retrieval \gset

-- What statements run as (app: one tenant's rows; system: what looks across tenants), and the logins. The owner migrates and
-- owns the tables; it makes no roles: they are here. The services' logins own nothing, and have no privilege but by becoming
-- a role: NOINHERIT.
SELECT format('CREATE ROLE %I NOLOGIN', name) FROM (VALUES (:'app'), (:'system')) needed(name)
  WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \gexec
SELECT format('CREATE ROLE %I LOGIN %s PASSWORD %L NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS', name, inherits, password)
  FROM (VALUES (:'owner', 'INHERIT', :'owner_password'), (:'gateway', 'NOINHERIT', :'gateway_password'),
    (:'worker', 'NOINHERIT', :'worker_password'), (:'retrieval', 'NOINHERIT', :'retrieval_password')) needed(name, inherits, password)
  WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \gexec
GRANT :"app", :"system" TO :"owner", :"gateway", :"worker";

-- Answers one tenant at a time, in sessions that read unless they say otherwise.
GRANT :"app" TO :"retrieval";
ALTER ROLE :"retrieval" SET default_transaction_read_only = on;

-- Where the administrator is no superuser, as on managed servers, only a member may name the owner of a database.
SELECT format('GRANT %I TO CURRENT_USER', :'owner')
  WHERE NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) \gexec
SELECT format('CREATE DATABASE %I OWNER %I', :'prefix', :'owner')
  WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'prefix') \gexec

-- Servers that come from before Postgres 15 let everybody make tables there.
\connect :"prefix"
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
