package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests a busy pipeline to a broker that refuses batches for their size and records for their content. At random, it
 * fails before or after it has stored a batch. Each seed is another course of events, except for the threads.
 */
class ProducerRefusalsTest extends AgainstScriptedBroker {
  private static final int RECORDS = 600;
  private static final int LARGEST_BATCH = 2_500;
  private static final int LARGE_RECORD = 3_000;

  private final Map<Long, Object> outcomes = new ConcurrentHashMap<>();
  private final SendListener listener = new SendListener() {
    @Override
    public void onAck(long tag, int partition, long offset, long timestamp) {
      outcomes.merge(tag, offset, (a, b) -> "twice");
    }

    @Override
    public void onFailure(long tag, KafkaException error) {
      outcomes.merge(tag, error.code(), (a, b) -> "twice");
    }
  };

  ProducerRefusalsTest() {
    super(1, LATER);
  }

  /**
   * Checks size first, then records, then numbers, as a broker does. Sometimes the batch is stored without a response,
   * and sometimes the broker then knows only the last batch, as after a restart.
   */
  private Script unruly(Random random) {
    Script invalid = ProduceResponses.refusalOf(ErrorCode.INVALID_RECORD, text -> text.startsWith("bad"));
    return exchange -> {
      boolean isLarge = exchange.request().produce().topicData().stream().flatMap(t -> t.partitionData().stream())
          .anyMatch(p -> Objects.requireNonNull(p.records()).remaining() > LARGEST_BATCH);
      boolean isInvalid = exchange.request().produce().topicData().stream().flatMap(t -> t.partitionData().stream())
          .anyMatch(p -> ProduceResponses.texts(p).stream().anyMatch(text -> text.startsWith("bad")));
      int chance = random.nextInt(100);
      if (chance < 3) {
        exchange.cut();
      } else if (chance < 6) {
        ProduceResponses.refusal(ErrorCode.NOT_ENOUGH_REPLICAS).run(exchange);
      } else if (isLarge) {
        ProduceResponses.refusal(ErrorCode.MESSAGE_TOO_LARGE).run(exchange);
      } else if (isInvalid) {
        invalid.run(exchange);
      } else if (chance < 10) {
        exchange.standardFrame();
        if (chance < 7) {
          broker.state().forgetBatches(0);
        }
        (chance < 8 ? Script.CUT : ProduceResponses.refusal(ErrorCode.REQUEST_TIMED_OUT)).run(exchange);
      } else {
        exchange.answer();
      }
    };
  }

  private static String value(Random random, int i) {
    return switch (random.nextInt(30)) {
      case 0 -> "bad" + i;
      case 1 -> "large" + i + ".".repeat(LARGE_RECORD);
      default -> "good" + i + ".".repeat(random.nextInt(200));
    };
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 6, 9})
  void eachRecordHasOneOutcomeAndThoseThatAreTakenAreStoredOnceAndInOrder(long seed) throws InterruptedException {
    Random random = new Random(seed);
    broker.always(ApiKey.PRODUCE, unruly(new Random(-seed)));
    List<String> sent = new ArrayList<>();
    try (Producer<String, String> producer = producer().batchSize(8_000)
        .linger(seed % 3 == 0 ? Duration.ofMillis(1) : Duration.ZERO)
        .retryBackoff(Duration.ofMillis(1), Duration.ofMillis(1)).open()) {
      for (int i = 0; i < RECORDS; i++) {
        String value = value(random, i);
        sent.add(value);
        producer.send(null, value, i, listener);
      }
      assertThat(producer.flush(LATER)).as("seed " + seed).isTrue();
    }
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < RECORDS; i++) {
      String value = sent.get(i);
      Object outcome = outcomes.get((long) i);
      if (value.startsWith("good") && outcome instanceof Long) {
        expected.add(value);
      } else if (!value.startsWith("good") && !ErrorCode.NONE.equals(outcome)) {
        assertThat(outcome).as("seed " + seed + ", outcome of " + i)
            .isEqualTo(value.startsWith("bad") ? ErrorCode.INVALID_RECORD : ErrorCode.MESSAGE_TOO_LARGE);
      } else {
        assertThat(outcome).as("seed " + seed + ", beside an invalid record, and perhaps stored before: " + i)
            .isEqualTo(ErrorCode.NONE);
      }
    }
    List<String> stored = broker.state().stored(0);
    assertThat(stored).as("seed " + seed).isEqualTo(expected);
    for (int i = 0; i < RECORDS; i++) {
      if (outcomes.get((long) i) instanceof Long offset && offset >= 0) {
        assertThat(stored.get(offset.intValue())).as("seed " + seed).isEqualTo(sent.get(i));
      }
    }
  }
}
