package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.broker.Batches;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.FetchResponse;
import dev.decant.kafka.record.RecordBatchHeader;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests fetch responses that are well formed as messages, but whose records or partitions are not. */
class HostileRecordsTest extends AgainstScriptedBroker {
  private static final int FIRST_RECORD = RecordBatchHeader.BYTES;

  HostileRecordsTest() {
    super(2, LATER);
  }

  /** Damages of a batch, and whether its checksum shows them. */
  enum Damage {
    CHECKSUM {
      @Override
      void apply(ByteBuffer batch) {
        batch.putInt(RecordBatchHeader.CRC, ~batch.getInt(RecordBatchHeader.CRC));
      }
    },
    FLIPPED_BIT {
      @Override
      void apply(ByteBuffer batch) {
        batch.put(batch.limit() - 2, (byte) (batch.get(batch.limit() - 2) ^ 1));
      }
    },
    MAGIC {
      @Override
      void apply(ByteBuffer batch) {
        batch.put(RecordBatchHeader.MAGIC, (byte) 1);
      }
    },
    NEGATIVE_BATCH_LENGTH {
      @Override
      void apply(ByteBuffer batch) {
        batch.putInt(RecordBatchHeader.BATCH_LENGTH, -1);
      }
    },
    BATCH_LONGER_THAN_THE_ANSWER {
      @Override
      void apply(ByteBuffer batch) {
        batch.putInt(RecordBatchHeader.BATCH_LENGTH, 1_000_000);
      }
    },
    TOO_MANY_RECORDS {
      @Override
      void apply(ByteBuffer batch) {
        batch.putInt(RecordBatchHeader.RECORD_COUNT, Integer.MAX_VALUE);
        seal(batch);
      }
    },
    RECORD_LONGER_THAN_ITS_BATCH {
      @Override
      void apply(ByteBuffer batch) {
        batch.put(FIRST_RECORD, (byte) 0x7E);
        seal(batch);
      }
    },
    NEGATIVE_RECORD_LENGTH {
      @Override
      void apply(ByteBuffer batch) {
        batch.put(FIRST_RECORD, (byte) 1);
        seal(batch);
      }
    },
    UNKNOWN_COMPRESSION {
      @Override
      void apply(ByteBuffer batch) {
        batch.putShort(RecordBatchHeader.ATTRIBUTES, (short) 7);
        seal(batch);
      }
    };

    abstract void apply(ByteBuffer batch);

    static void seal(ByteBuffer batch) {
      RecordBatchHeader.seal(new CRC32C(), batch, 0, batch.limit());
    }
  }

  private Script with(Consumer<FetchResponse> change) {
    return exchange -> {
      FetchResponse response = broker.state().fetch(exchange.request().fetch());
      change.accept(response);
      exchange.answer(response::write);
    };
  }

  private static List<FetchResponse.PartitionData> partitions(FetchResponse response) {
    return response.responses().getFirst().partitions();
  }

  private Script damaged(Damage damage) {
    return with(response -> partitions(response).forEach(p -> {
      ByteBuffer records = p.records();
      if (records != null) {
        damage.apply(records);
      }
    }));
  }

  @ParameterizedTest
  @EnumSource
  void damagedBatchIsAnErrorThatNamesPartitionOffsetAndBrokerAndReadingGoesOn(Damage damage)
      throws InterruptedException {
    broker.state().store(0, "a", "b");
    broker.state().store(0, "c");
    broker.next(ApiKey.FETCH, damaged(damage));
    try (var consumer = consumer()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      List<String> values = new ArrayList<>();
      assertThat(failureOf(consumer, values)).hasMessageContaining("records of orders-0 at offset " + values.size())
          .hasMessageContaining("broker " + address());
      values.addAll(read(consumer, 3 - values.size()));
      assertThat(values).containsExactly("a", "b", "c");
    }
  }

  /** The reader is in the middle of a batch then, and once stayed there for good. */
  @Test
  void damageBehindGoodRecordsIsAnErrorAfterThemAndReadingGoesOnThere() throws InterruptedException {
    broker.state().store(0, "a", "b");
    broker.next(ApiKey.FETCH, with(response -> {
      ByteBuffer records = partitions(response).getFirst().records();
      if (records != null) {
        records.put(records.limit() - 9 + 1, (byte) 0x7E);
        Damage.seal(records);
      }
    }));
    try (var consumer = consumer()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      List<String> values = new ArrayList<>();
      assertThat(failureOf(consumer, values)).hasMessageContaining("records of orders-0 at offset 1");
      values.addAll(read(consumer, 1));
      assertThat(values).containsExactly("a", "b");
    }
  }

  @Test
  void partitionThatIsNamedTwiceIsReadOnce() throws InterruptedException {
    broker.state().store(0, "a");
    Script twice = with(response -> {
      if (!response.responses().isEmpty()) {
        List<FetchResponse.PartitionData> named = new ArrayList<>(partitions(response));
        named.addAll(partitions(response));
        response.responses().getFirst().partitions(named);
      }
    });
    broker.next(ApiKey.FETCH, twice, twice, twice, twice);
    try (var consumer = consumer()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      List<String> values = read(consumer, 1);
      for (String next : List.of("b", "c", "d")) {
        broker.state().store(0, next);
        values.addAll(read(consumer, 1));
      }
      assertThat(values).containsExactly("a", "b", "c", "d");
    }
  }

  @Test
  void partitionsAndTopicsNobodyRequestedAreLeftAlone() throws InterruptedException {
    broker.state().store(0, "a");
    broker.next(ApiKey.FETCH, with(response -> {
      List<FetchResponse.FetchableTopicResponse> topics = new ArrayList<>(response.responses());
      topics.add(new FetchResponse.FetchableTopicResponse().topicId(new Uuid(1, 2)).partitions(partitions(response)));
      topics.add(new FetchResponse.FetchableTopicResponse().topicId(topics.getFirst().topicId())
          .partitions(List.of(new FetchResponse.PartitionData().partitionIndex(-7).records(Batches.of(0, "x")),
              new FetchResponse.PartitionData().partitionIndex(99).records(Batches.of(0, "x")))));
      response.responses(topics);
    }));
    try (var consumer = consumer()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      assertThat(read(consumer, 1)).containsExactly("a");
      broker.state().store(0, "b");
      assertThat(read(consumer, 1)).containsExactly("b");
    }
  }

  @ParameterizedTest
  @ValueSource(shorts = {-1, 29, 999})
  void errorOfAPartitionThatDoesNotPassIsAnErrorOfPoll(short code) throws InterruptedException {
    broker.state().store(0, "a");
    broker.next(ApiKey.FETCH, with(response -> partitions(response).forEach(p -> p.errorCode(code))));
    try (var consumer = consumer()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      List<String> values = new ArrayList<>();
      assertThat(failureOf(consumer, values)).hasMessageContaining("fetch of orders-0: broker " + address())
          .hasMessageContaining(ErrorCode.of(code).name());
      values.addAll(read(consumer, 1 - values.size()));
      assertThat(values).containsExactly("a");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"NOT_LEADER_OR_FOLLOWER", "UNKNOWN_TOPIC_ID", "KAFKA_STORAGE_ERROR", "OFFSET_OUT_OF_RANGE"})
  void errorOfAPartitionThatPassesIsNotSeen(ErrorCode code) throws InterruptedException {
    broker.state().store(0, "a");
    broker.next(ApiKey.FETCH, with(response -> partitions(response).forEach(p -> p.errorCode(code.code()))));
    try (var consumer = consumer()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      assertThat(read(consumer, 1)).containsExactly("a");
    }
  }

  /** The response was once kept for a consumer that was closed, and its memory with it. */
  @Test
  void responseThatComesAfterTheEndOfItsConsumerGivesItsMemoryBack() throws InterruptedException {
    CountDownLatch closed = new CountDownLatch(1);
    broker.state().store(0, "x".repeat(100_000));
    broker.state().store(1, "y");
    broker.next(ApiKey.FETCH, exchange -> {
      assertThat(awaits(closed)).isTrue();
      exchange.answer();
    });
    try (var other = consumer()) {
      try (var consumer = consumer()) {
        consumer.assign(ScriptedBroker.TOPIC, 0);
        consumer.poll(Duration.ZERO, record -> {});
        broker.await(ApiKey.FETCH, 1);
      }
      closed.countDown();
      other.assign(ScriptedBroker.TOPIC, 1);
      assertThat(read(other, 1)).containsExactly("y"); // on the same connection, so the late response is here, too
    }
  }

  private static boolean awaits(CountDownLatch latch) {
    try {
      return latch.await(LATER.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
