package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A program moves to Decant and back: each client continues at the offset that the other one has committed. */
@SuppressWarnings("FutureReturnValueIgnored") // the test reads the records back
class GoingBackTest extends ReadsFromBroker {
  private static final int MIDDLE = 2;

  enum Client {
    DECANT {
      @Override
      Consumer<String, String> consumer(Map<String, Object> settings) {
        return new DecantConsumer<>(settings);
      }

      @Override
      Producer<String, String> producer(Map<String, Object> settings) {
        return new DecantProducer<>(settings, new StringSerializer(), new StringSerializer());
      }
    },
    APACHE {
      @Override
      Consumer<String, String> consumer(Map<String, Object> settings) {
        return new KafkaConsumer<>(settings);
      }

      @Override
      Producer<String, String> producer(Map<String, Object> settings) {
        return new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
      }
    };

    abstract Consumer<String, String> consumer(Map<String, Object> settings);

    abstract Producer<String, String> producer(Map<String, Object> settings);

    Client other() {
      return this == DECANT ? APACHE : DECANT;
    }
  }

  private Map<TopicPartition, OffsetAndMetadata> stored(String group)
      throws ExecutionException, InterruptedException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap()))) {
      return admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
    }
  }

  private void goesOn(Client first, String firstProtocol, Client second, String secondProtocol)
      throws ExecutionException, InterruptedException {
    String topic = topic(2);
    TopicPartition withNote = new TopicPartition(topic, 0);
    TopicPartition withPosition = new TopicPartition(topic, 1);
    send(topic, 0, "a", "b", "c");
    send(topic, 1, "d", "e");
    String group = fresh("group");
    OffsetAndMetadata note;
    try (Consumer<String, String> consumer = first.consumer(settings(firstProtocol, group))) {
      consumer.subscribe(List.of(topic));
      List<ConsumerRecord<String, String>> records = read(consumer, 5);
      Optional<Integer> epoch = records.getFirst().leaderEpoch();
      assertThat(epoch).isPresent();
      consumer.commitSync();
      note = new OffsetAndMetadata(MIDDLE, epoch, "a note of " + first);
      consumer.commitSync(Map.of(withNote, note));
    }
    Map<TopicPartition, OffsetAndMetadata> expected = Map.of(withNote, note, withPosition,
        new OffsetAndMetadata(2, note.leaderEpoch(), ""));
    assertThat(stored(group)).isEqualTo(expected);

    send(topic, 1, "f");
    try (Consumer<String, String> consumer = second.consumer(settings(secondProtocol, group))) {
      assertThat(consumer.committed(Set.of(withNote, withPosition))).isEqualTo(expected);
      consumer.subscribe(List.of(topic));
      assertThat(values(consumer, 2)).containsExactlyInAnyOrder("c", "f");
    }
  }

  @ParameterizedTest
  @EnumSource
  void otherClientGoesOnBehindTheCommittedOffset(Client first) throws ExecutionException, InterruptedException {
    goesOn(first, "classic", first.other(), "classic");
  }

  @Tag("full")
  @ClientsFrom(value = "4.0", because = "Apache's consumer has the released protocol")
  @ParameterizedTest
  @CsvSource({"DECANT,consumer,consumer", "APACHE,consumer,consumer", "DECANT,classic,consumer",
      "APACHE,classic,consumer", "DECANT,consumer,classic", "APACHE,consumer,classic"})
  void otherClientGoesOnInTheSameOrTheOtherProtocol(Client first, String firstProtocol, String secondProtocol)
      throws ExecutionException, InterruptedException {
    goesOn(first, firstProtocol, first.other(), secondProtocol);
  }

  /** Both consumers store the same offset, leader epoch and metadata. */
  @Test
  void eachWayToCommitStoresWhatApachesConsumerStores() throws ExecutionException, InterruptedException {
    String topic = topic(1);
    TopicPartition only = new TopicPartition(topic, 0);
    send(topic, 0, "a", "b", "c");
    List<OffsetAndMetadata> all = new ArrayList<>();
    for (String way : List.of("sync", "async", "at close")) {
      for (Client client : Client.values()) {
        String group = fresh("group");
        Map<String, Object> settings = settings("classic", group);
        settings.put("enable.auto.commit", String.valueOf(way.equals("at close")));
        try (Consumer<String, String> consumer = client.consumer(settings)) {
          consumer.assign(Set.of(only));
          assertThat(values(consumer, 3)).hasSize(3);
          if (way.equals("sync")) {
            consumer.commitSync();
          } else if (way.equals("async")) {
            consumer.commitAsync(); // completes within close
          }
        }
        all.add(Objects.requireNonNull(stored(group).get(only), way + " " + client));
      }
    }
    assertThat(all).containsOnly(all.getFirst());
    assertThat(all.getFirst().leaderEpoch()).isPresent();
    assertThat(all.getFirst().offset()).isEqualTo(3);
  }

  /** The offsets of a transaction, and the next transaction of the same id by the other client. */
  @Tag("full")
  @ParameterizedTest
  @EnumSource
  void offsetsOfATransactionAreTakenUpAndItsIdIs(Client first) throws ExecutionException, InterruptedException {
    TopicPartition only = new TopicPartition(topic(1), 0);
    send(only.topic(), 0, "a", "b");
    String group = fresh("group");
    Map<String, Object> settings = new HashMap<>(
        Map.of("bootstrap.servers", bootstrap(), "transactional.id", fresh("transactions")));
    long next = 0;
    for (Client client : List.of(first, first.other(), first)) {
      try (Producer<String, String> producer = client.producer(settings);
          Consumer<String, String> consumer = client.other().consumer(settings("classic", group))) {
        producer.initTransactions();
        producer.beginTransaction();
        producer.send(new ProducerRecord<>(only.topic(), "k", "of " + client));
        OffsetAndMetadata offset = new OffsetAndMetadata(++next, Optional.of(0), "by " + client);
        producer.sendOffsetsToTransaction(Map.of(only, offset), consumer.groupMetadata());
        producer.commitTransaction();
        assertThat(consumer.committed(Set.of(only))).isEqualTo(Map.of(only, offset));
      }
    }
  }

  /** Instances in a rolling restart, from either client to the other. */
  @Tag("full")
  @ParameterizedTest
  @EnumSource
  void bothClientsShareAGroupAndTheOtherOneTakesOver(Client leaving) {
    String topic = topic(4);
    String group = fresh("group");
    try (Consumer<String, String> staying = leaving.other().consumer(settings("classic", group))) {
      staying.subscribe(List.of(topic));
      try (Consumer<String, String> first = leaving.consumer(settings("classic", group))) {
        first.subscribe(List.of(topic));
        List<ConsumerRecord<String, String>> none = new ArrayList<>();
        pollUntil(first, none, () -> {
          staying.poll(Duration.ofMillis(10));
          return first.assignment().size() == 2 && staying.assignment().size() == 2;
        });
        for (int partition = 0; partition < 4; partition++) {
          send(topic, partition, "before " + partition);
        }
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        pollUntil(first, records, () -> {
          staying.poll(Duration.ofMillis(10)).forEach(records::add);
          return records.size() == 4;
        });
        first.commitSync();
        staying.commitSync();
      }
      for (int partition = 0; partition < 4; partition++) {
        send(topic, partition, "after " + partition);
      }
      // A rebalance moves both clients back to the committed offsets, so some records may come twice.
      Set<String> after = new TreeSet<>();
      List<ConsumerRecord<String, String>> records = new ArrayList<>();
      pollUntil(staying, records, () -> {
        records.forEach(record -> after.add(record.value()));
        return after.size() >= 4;
      });
      assertThat(after).containsExactly("after 0", "after 1", "after 2", "after 3");
    }
  }
}
