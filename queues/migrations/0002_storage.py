"""What Django's models cannot say: the message table's real key and storage, and the partitioned log."""

from django.db import migrations

# (queue_id, id) serves look-ups and browsing alike; every statement names the queue. See docs/decisions.md.
MESSAGE_KEY = """
    ALTER TABLE message DROP CONSTRAINT message_pkey;
    ALTER TABLE message ADD CONSTRAINT message_pkey PRIMARY KEY (queue_id, id);
"""
MESSAGE_KEY_BACK = """
    ALTER TABLE message DROP CONSTRAINT message_pkey;
    ALTER TABLE message ADD CONSTRAINT message_pkey PRIMARY KEY (id);
"""

# Every message is updated and deleted soon: leave room for its next version, and vacuum early and fast.
CHURN = """
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05,
    autovacuum_vacuum_cost_delay = 0
"""
STORAGE = f"""
    ALTER TABLE message SET (fillfactor = 70, {CHURN});
    ALTER TABLE queue_slot SET (fillfactor = 50, {CHURN});
    ALTER TABLE queue_tally SET (fillfactor = 50, {CHURN});
    ALTER TABLE queue_tally_delta SET ({CHURN});
"""
CHURN_BACK = """
    autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold, autovacuum_vacuum_insert_scale_factor,
    autovacuum_analyze_scale_factor, autovacuum_vacuum_cost_delay
"""
STORAGE_BACK = f"""
    ALTER TABLE message RESET (fillfactor, {CHURN_BACK});
    ALTER TABLE queue_slot RESET (fillfactor, {CHURN_BACK});
    ALTER TABLE queue_tally RESET (fillfactor, {CHURN_BACK});
    ALTER TABLE queue_tally_delta RESET ({CHURN_BACK});
"""

# Without a partition for its day an ack would fail: the default one is the net under the maintenance duty,
# which makes the daily ones ahead of time.
LOG = """
    CREATE TABLE message_log (
        message_id uuid NOT NULL,
        team_id bigint NOT NULL,
        queue_id bigint NOT NULL,
        enqueued_at timestamptz NOT NULL,
        first_delivered_at timestamptz,
        last_delivered_at timestamptz,
        finished_at timestamptz NOT NULL,
        redrive_id bigint,
        delivery_count integer NOT NULL,
        nack_count integer NOT NULL,
        lease_expiry_count integer NOT NULL,
        size_bytes integer NOT NULL,
        priority smallint NOT NULL,
        outcome varchar(16) NOT NULL,
        group_id varchar(128),
        error_type varchar(200),
        fingerprint varchar(64)
    ) PARTITION BY RANGE (finished_at);
    CREATE INDEX message_log_finished ON message_log USING brin (finished_at);
    CREATE TABLE message_log_default PARTITION OF message_log DEFAULT;
"""
LOG_BACK = "DROP TABLE message_log;"


class Migration(migrations.Migration):
    dependencies = [("queues", "0001_initial")]

    operations = [
        migrations.RunSQL(MESSAGE_KEY, MESSAGE_KEY_BACK),
        migrations.RunSQL(STORAGE, STORAGE_BACK),
        migrations.RunSQL(LOG, LOG_BACK),
    ]
