"""What librdkafka does with a fake cluster: produce, groups, transactions, admin. Prints each step that holds."""
import sys
import time

import confluent_kafka
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition, libversion
from confluent_kafka.admin import AdminClient, ConfigResource, NewPartitions, NewTopic

bootstrap = sys.argv[1]
DEADLINE = 40


def done(step):
    print("done " + step, flush=True)


def consume(protocol, topic, count, isolation="read_uncommitted"):
    settings = {"bootstrap.servers": bootstrap, "group.id": "rd-" + protocol + topic, "auto.offset.reset": "earliest",
                "enable.auto.commit": False, "group.protocol": protocol, "isolation.level": isolation}
    consumer = Consumer(settings)
    consumer.subscribe([topic])
    values = []
    end = time.time() + DEADLINE
    while len(values) < count and time.time() < end:
        message = consumer.poll(1.0)
        if message is not None:
            if message.error():
                raise KafkaException(message.error())
            values.append(message.value().decode())
    assert len(values) == count, values
    consumer.commit(asynchronous=False)
    for committed in consumer.committed(consumer.assignment(), timeout=10):
        assert committed.error is None, committed
    consumer.close()
    return values


print("version confluent-kafka " + confluent_kafka.__version__)
print("version librdkafka " + str(libversion()[0]))
admin = AdminClient({"bootstrap.servers": bootstrap})
for future in admin.create_topics([NewTopic("rd", 2, 1), NewTopic("rd-tx", 1, 1)]).values():
    future.result(20)
for future in admin.create_partitions([NewPartitions("rd", 3)]).values():
    future.result(20)
assert len(admin.list_topics("rd", timeout=10).topics["rd"].partitions) == 3
for future in admin.describe_configs([ConfigResource(ConfigResource.Type.TOPIC, "rd")]).values():
    assert "cleanup.policy" in future.result(20)
done("admin")

producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True, "compression.type": "gzip"})
errors = []
for i in range(100):
    producer.produce("rd", key=str(i), value="v%d" % i, on_delivery=lambda e, m: errors.append(e) if e else None)
assert producer.flush(30) == 0
assert not errors, errors
done("produce")

assert sorted(consume("classic", "rd", 100)) == sorted("v%d" % i for i in range(100))
done("groups classic")
assert sorted(consume("consumer", "rd", 100)) == sorted("v%d" % i for i in range(100))
done("groups consumer")

transactions = Producer({"bootstrap.servers": bootstrap, "transactional.id": "rd"})
transactions.init_transactions(20)
transactions.begin_transaction()
transactions.produce("rd-tx", value="aborted")
transactions.flush(20)
transactions.abort_transaction(20)
transactions.begin_transaction()
transactions.produce("rd-tx", value="committed")
consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "rd-offsets"})
transactions.send_offsets_to_transaction([TopicPartition("rd", 0, 7)], consumer.consumer_group_metadata(), 20)
transactions.commit_transaction(20)
assert consumer.committed([TopicPartition("rd", 0)], timeout=10)[0].offset == 7
consumer.close()
assert consume("classic", "rd-tx", 1, "read_committed") == ["committed"]
done("transactions")

for future in [admin.list_consumer_groups(request_timeout=20)]:
    assert "rd-classicrd" in [g.group_id for g in future.result(20).valid]
for future in admin.describe_consumer_groups(["rd-classicrd"], request_timeout=20).values():
    assert future.result(20).group_id == "rd-classicrd"
for future in admin.delete_consumer_groups(["rd-classicrd"], request_timeout=20).values():
    future.result(20)
for future in admin.delete_topics(["rd-tx"]).values():
    future.result(20)
done("admin of groups")
