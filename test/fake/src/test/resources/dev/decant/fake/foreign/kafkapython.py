"""What kafka-python does with a fake cluster: produce, groups, transactions, admin. Prints each step that holds."""
import sys
import time

import kafka
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import NewTopic
from kafka.structs import OffsetAndMetadata

bootstrap = sys.argv[1]


def done(step):
    print("done " + step, flush=True)


def consume(topic, count, group, isolation="read_uncommitted"):
    consumer = KafkaConsumer(topic, bootstrap_servers=bootstrap, group_id=group, auto_offset_reset="earliest",
                             enable_auto_commit=False, isolation_level=isolation)
    values = []
    end = time.time() + 40
    while len(values) < count and time.time() < end:
        for records in consumer.poll(timeout_ms=1000).values():
            values += [record.value.decode() for record in records]
    assert len(values) == count, values
    consumer.commit()
    assert sum(consumer.committed(p) or 0 for p in consumer.assignment()) >= count
    consumer.close()
    return values


print("version kafka-python " + kafka.__version__)
admin = KafkaAdminClient(bootstrap_servers=bootstrap)
admin.create_topics([NewTopic(name="kp", num_partitions=2, replication_factor=1),
                     NewTopic(name="kp-tx", num_partitions=1, replication_factor=1)])
assert {"kp", "kp-tx"} <= set(admin.list_topics())
done("admin")

producer = KafkaProducer(bootstrap_servers=bootstrap, acks="all", compression_type="gzip")
futures = [producer.send("kp", key=b"%d" % i, value=b"v%d" % i) for i in range(100)]
producer.flush(30)
assert all(f.get(timeout=20).offset >= 0 for f in futures)
producer.close()
done("produce")

assert sorted(consume("kp", 100, "kp-group")) == sorted("v%d" % i for i in range(100))
done("groups classic")

transactions = KafkaProducer(bootstrap_servers=bootstrap, transactional_id="kp", enable_idempotence=True)
transactions.init_transactions()
transactions.begin_transaction()
transactions.send("kp-tx", value=b"aborted")
transactions.flush(20)
transactions.abort_transaction()
transactions.begin_transaction()
transactions.send("kp-tx", value=b"committed")
transactions.send_offsets_to_transaction({TopicPartition("kp", 0): OffsetAndMetadata(7, "", -1)}, "kp-offsets")
transactions.commit_transaction()
transactions.close()
assert consume("kp-tx", 1, "kp-committed", "read_committed") == ["committed"]
done("transactions")

assert "kp-group" in str(admin.list_groups() if hasattr(admin, "list_groups") else admin.list_consumer_groups())
admin.delete_topics(["kp-tx"])
done("admin of groups")
