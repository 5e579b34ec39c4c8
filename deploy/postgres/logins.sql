-- The logins of an installation, least privileges each (docs/guides/deploy.md). Run once by an administrator of the server:
--   psql "$ADMIN_URL" -v owner_password=… -v gateway_password=… -v worker_password=… -v retrieval_password=… -f deploy/postgres/logins.sql
-- An installation with a DATABASE_ROLE_PREFIX of its own: -v prefix=<prefix>. Synthesis has no database.
\set ON_ERROR_STOP on
\if :{?prefix} \else \set prefix candor \endif
SELECT :'prefix' || '_app' AS app, :'prefix' || '_system' AS system, :'prefix' || '_owner' AS owner,
  :'prefix' || '_gateway' AS gateway, :'prefix' || '_worker' AS worker, :'prefix' || '_retrieval' AS retrieval \gset

-- What statements run as: one tenant's rows, or what looks across tenants.
CREATE ROLE :"app" NOLOGIN;
CREATE ROLE :"system" NOLOGIN;

-- Migrates, and owns the tables. It makes no roles: they are here.
CREATE ROLE :"owner" LOGIN PASSWORD :'owner_password' NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
GRANT :"app", :"system" TO :"owner";

-- Own nothing, and have no privilege but by becoming a role: NOINHERIT.
CREATE ROLE :"gateway" LOGIN NOINHERIT PASSWORD :'gateway_password' NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
CREATE ROLE :"worker" LOGIN NOINHERIT PASSWORD :'worker_password' NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
GRANT :"app", :"system" TO :"gateway", :"worker";

-- Answers one tenant at a time, and only reads.
CREATE ROLE :"retrieval" LOGIN NOINHERIT PASSWORD :'retrieval_password' NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
GRANT :"app" TO :"retrieval";
ALTER ROLE :"retrieval" SET default_transaction_read_only = on;

SELECT format('CREATE DATABASE %I OWNER %I', :'prefix', :'owner')
  WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'prefix') \gexec
