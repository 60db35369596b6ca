package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.broker.Exchange;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.producer.Partitioner;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.InitProducerIdResponse;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.kafka.record.RecordBatchHeader;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests producer identities and sequence numbers when a batch fails or its number is refused (KIP-360). */
class ProducerSequenceNumbersTest extends AgainstScriptedBroker {
  private static final int MANY = 1_000;
  private static final Partitioner BY_FIRST_LETTER = (key, keyLength, partitions) -> key[0] - 'a';

  ProducerSequenceNumbersTest() {
    super(2, LATER);
  }

  /** Returns producer id, epoch and first number of each batch sent to a partition. */
  private List<String> numbers(int partition) {
    List<String> numbers = new ArrayList<>();
    for (Request r : broker.requests(ApiKey.PRODUCE)) {
      for (ProduceRequest.TopicProduceData t : r.produce().topicData()) {
        for (ProduceRequest.PartitionProduceData p : t.partitionData()) {
          ByteBuffer b = p.records();
          if (b != null && p.index() == partition) {
            numbers.add(b.getLong(b.position() + RecordBatchHeader.PRODUCER_ID) + ":"
                + b.getShort(b.position() + RecordBatchHeader.PRODUCER_EPOCH) + ":"
                + b.getInt(b.position() + RecordBatchHeader.BASE_SEQUENCE));
          }
        }
      }
    }
    return numbers;
  }

  @Test
  void gapInOnePartitionBumpsItsEpochAndLeavesTheOtherAlone() throws InterruptedException {
    try (Producer<String, String> producer = producer().partitioner(BY_FIRST_LETTER).open()) {
      producer.sendAndWait("a", "v0");
      producer.sendAndWait("b", "w0");
      broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.UNKNOWN_SERVER_ERROR)); // the batch may be stored
      assertThatThrownBy(() -> producer.sendAndWait("a", "lost")).isInstanceOf(KafkaException.class);
      producer.sendAndWait("a", "v1");
      producer.sendAndWait("b", "w1");
      producer.sendAndWait("a", "v2");
    }
    List<String> broken = numbers(0);
    List<String> intact = numbers(1);
    String id = broken.getFirst().substring(0, broken.getFirst().indexOf(':'));
    assertThat(broken).containsExactly(id + ":0:0", id + ":0:1", id + ":1:0", id + ":1:1");
    assertThat(intact).containsExactly(id + ":0:0", id + ":0:1");
    assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).hasSize(1);
    assertThat(broker.state().stored(0)).containsExactly("v0", "v1", "v2");
    assertThat(broker.state().stored(1)).containsExactly("w0", "w1");
  }

  /**
   * The client once bumped the epoch, and batches behind it waited for their numbers to be refused one after the other.
   */
  @ParameterizedTest
  @EnumSource(names = {"MESSAGE_TOO_LARGE", "INVALID_RECORD", "INVALID_TIMESTAMP", "TOPIC_AUTHORIZATION_FAILED"})
  void numbersOfABatchThatIsClearlyRefusedAreUsedAgain(ErrorCode code) throws InterruptedException {
    try (Producer<String, String> producer = producer().partitioner(BY_FIRST_LETTER).open()) {
      producer.sendAndWait("a", "v0");
      broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(code));
      assertThatThrownBy(() -> producer.sendAndWait("a", "lost")).isInstanceOf(KafkaException.class);
      producer.sendAndWait("a", "v1");
      producer.sendAndWait("a", "v2");
    }
    String id = numbers(0).getFirst().substring(0, numbers(0).getFirst().indexOf(':'));
    assertThat(numbers(0)).containsExactly(id + ":0:0", id + ":0:1", id + ":0:1", id + ":0:2");
    assertThat(broker.state().stored(0)).containsExactly("v0", "v1", "v2");
  }

  @ParameterizedTest
  @EnumSource(names = {"OUT_OF_ORDER_SEQUENCE_NUMBER", "UNKNOWN_PRODUCER_ID", "INVALID_PRODUCER_EPOCH"})
  void refusedNumberIsReplacedUnderTheNextEpochAndTheRecordStored(ErrorCode code) throws InterruptedException {
    try (Producer<String, String> producer = producer().partitioner(BY_FIRST_LETTER)
        .retryBackoff(Duration.ofMillis(1), Duration.ofMillis(1)).open()) {
      producer.sendAndWait("a", "v0");
      broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(code));
      assertThat(producer.sendAndWait("a", "v1").offset()).isEqualTo(1);
      assertThat(producer.sendAndWait("a", "v2").offset()).isEqualTo(2);
    }
    assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).hasSize(1);
    assertThat(numbers(0)).hasSize(4).satisfies(n -> assertThat(n.get(2)).endsWith(":1:0"));
    assertThat(broker.state().stored(0)).containsExactly("v0", "v1", "v2");
  }

  /** The client once repeated its request for ever, while the records waited for their delivery timeout. */
  @Test
  void recordsFailAtOnceWhenABrokerGivesNoIdentityAndTheNextOnesAskAgain() throws InterruptedException {
    CountDownLatch sent = new CountDownLatch(1);
    broker.next(ApiKey.INIT_PRODUCER_ID, Script.after(sent, exchange -> exchange
        .answer(new InitProducerIdResponse().errorCode(ErrorCode.CLUSTER_AUTHORIZATION_FAILED.code())::write)));
    try (Producer<String, String> producer = producer().partitioner(BY_FIRST_LETTER).open()) {
      AgainstScriptedTransactions.Failures failures = new AgainstScriptedTransactions.Failures();
      producer.send("a", "v0", 0, failures);
      producer.send("b", "v1", 1, failures);
      sent.countDown();
      assertThat(producer.flush(LATER)).isTrue();
      assertThat(failures.all).hasSize(2).allSatisfy(e -> {
        assertThat(e.code()).isEqualTo(ErrorCode.CLUSTER_AUTHORIZATION_FAILED);
        assertThat(e).hasMessageContaining("a producer id");
      });
      assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).hasSize(1);
      producer.sendAndWait("a", "v2");
    }
    assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).hasSize(2);
    assertThat(broker.state().stored(0)).containsExactly("v2");
    assertThat(broker.state().stored(1)).isEmpty();
  }

  @Test
  void afterTheLastEpochComesAnotherIdentity() throws InterruptedException {
    broker.next(ApiKey.INIT_PRODUCER_ID,
        exchange -> exchange.answer(new InitProducerIdResponse().producerId(5).producerEpoch((short) 32766)::write));
    try (Producer<String, String> producer = producer().partitioner(BY_FIRST_LETTER).open()) {
      producer.sendAndWait("a", "v0");
      broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.UNKNOWN_SERVER_ERROR));
      assertThatThrownBy(() -> producer.sendAndWait("a", "lost")).isInstanceOf(KafkaException.class);
      producer.sendAndWait("a", "v1");
    }
    assertThat(broker.requests(ApiKey.INIT_PRODUCER_ID)).hasSize(2);
    assertThat(numbers(0)).startsWith("5:32766:0", "5:32766:1").last().asString().endsWith(":0:0");
    assertThat(broker.state().stored(0)).containsExactly("v0", "v1");
  }

  @Test
  void batchesBehindAFailedOneAreStoredOnceAndInOrder() throws InterruptedException {
    Set<Long> failed = new ConcurrentSkipListSet<>();
    SendListener listener = new SendListener() {
      @Override
      public void onAck(long tag, int partition, long offset, long timestamp) {}

      @Override
      public void onFailure(long tag, KafkaException error) {
        failed.add(tag);
      }
    };
    int count = 2_000;
    try (Producer<String, String> producer = producer().partitioner(BY_FIRST_LETTER).batchSize(1024)
        .retryBackoff(Duration.ofMillis(1), Duration.ofMillis(5)).open()) {
      producer.sendAndWait("a", "first");
      broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.INVALID_RECORD));
      for (int i = 0; i < count; i++) {
        producer.send("a", "v" + i, i, listener);
      }
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(failed).isNotEmpty();
    List<String> expected = new ArrayList<>(List.of("first"));
    IntStream.range(0, count).filter(i -> !failed.contains((long) i)).forEach(i -> expected.add("v" + i));
    assertThat(broker.state().stored(0)).isEqualTo(expected);
    assertThat(failed).as("one batch").hasSizeLessThan(100);
  }

  @Test
  void nothingOvertakesTheFirstBatchOfAnIdentity() throws InterruptedException {
    // A new topic's leader refused the first batch, since it did not know yet that it leads. It took the second, since
    // any number may be the first of an identity it does not know, and refused the first for its number. The first
    // batch was then sent under another identity, behind the second. If its response was lost, the second was stored
    // twice.
    CountDownLatch sent = new CountDownLatch(1);
    broker.next(ApiKey.PRODUCE, Script.after(sent, ProduceResponses.refusal(ErrorCode.NOT_LEADER_OR_FOLLOWER)));
    List<String> expected = new ArrayList<>();
    try (Producer<String, String> producer = producer().partitioner(BY_FIRST_LETTER).batchSize(1024).open()) {
      for (int i = 0; i < 1_000; i++) {
        producer.send("a", "v" + i);
        expected.add("v" + i);
      }
      sent.countDown();
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(numbers(0).get(1)).isEqualTo(numbers(0).get(0)).endsWith(":0");
    assertThat(broker.state().stored(0)).isEqualTo(expected);
  }

  /**
   * Sends many records in many batches behind one that is stored, waits for all outcomes, and checks that each record
   * is stored once and in order.
   *
   * @param disturb prepares the broker before they are sent; the latch reports that all are
   * @return tag and offset of each record, in the order of their outcomes
   */
  private List<long[]> sendMany(Consumer<CountDownLatch> disturb) throws InterruptedException {
    List<long[]> acked = Collections.synchronizedList(new ArrayList<>());
    SendListener listener = new SendListener() {
      @Override
      public void onAck(long tag, int partition, long offset, long timestamp) {
        acked.add(new long[] {tag, offset});
      }

      @Override
      public void onFailure(long tag, KafkaException error) {
        acked.add(new long[] {tag, Long.MIN_VALUE});
      }
    };
    List<String> expected = new ArrayList<>(List.of("first"));
    CountDownLatch sent = new CountDownLatch(1);
    try (Producer<String, String> producer = producer().partitioner(BY_FIRST_LETTER).batchSize(1024)
        .retryBackoff(Duration.ofMillis(1), Duration.ofMillis(5)).open()) {
      producer.sendAndWait("a", "first");
      disturb.accept(sent);
      for (int i = 0; i < MANY; i++) {
        producer.send("a", "v" + i, i, listener);
        expected.add("v" + i);
      }
      sent.countDown();
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(broker.state().stored(0)).isEqualTo(expected);
    assertThat(acked).hasSize(MANY).allSatisfy(a -> assertThat(a[1]).isIn(-1L, a[0] + 1));
    return acked;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void batchesThatTheBrokerStoredAndForgotAreNotSentUnderOtherNumbers(boolean cutAgain) throws InterruptedException {
    // A leader stored batches and did not respond. After a restart it knows only the last one of them, and refuses
    // those before as if they were missing. They once were sent again under the next epoch, and stored twice.
    List<long[]> acked = sendMany(sent -> broker.next(ApiKey.PRODUCE,
        Script.after(sent, Exchange::standardFrame), Exchange::standardFrame, exchange -> {
          exchange.standardFrame();
          broker.state().forgetBatches(0);
          exchange.cut();
        }, Script.STANDARD, cutAgain ? Script.CUT : Script.STANDARD));
    assertThat(acked).extracting(a -> a[0]).containsExactlyElementsOf(LongStream.range(0, MANY).boxed().toList());
    assertThat(acked.getFirst()[1]).as("the broker did not say").isEqualTo(-1);
    assertThat(acked.getLast()[1]).isEqualTo(MANY);
  }

  @Test
  void batchesThatTheBrokerNeverSawComeUnderTheNextEpochInTheirOrder() throws InterruptedException {
    List<long[]> acked = sendMany(sent -> {
      broker.always(ApiKey.PRODUCE, exchange -> (epochOf(exchange.request()) == 0
          ? ProduceResponses.refusal(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER)
          : Script.STANDARD).run(exchange));
      broker.next(ApiKey.PRODUCE, Script.after(sent, Script.SILENCE), Script.SILENCE, Script.CUT);
    });
    assertThat(acked).extracting(a -> a[1]).containsExactlyElementsOf(LongStream.rangeClosed(1, MANY).boxed().toList());
    assertThat(numbers(0)).last().asString().contains(":1:");
  }

  @Test
  void batchThatTheBrokerForgotAfterItStoredYoungerOnesIsNotSentUnderAnotherNumber() throws InterruptedException {
    // Too few replicas had it in time, so it is sent again; those behind it were acknowledged meanwhile.
    AtomicInteger attempts = new AtomicInteger();
    List<long[]> acked = sendMany(sent -> {
      broker.always(ApiKey.PRODUCE, exchange -> {
        if (sequenceOf(exchange.request()) == 1 && attempts.incrementAndGet() == 2) {
          broker.state().forgetBatches(0);
        }
        exchange.answer();
      });
      broker.next(ApiKey.PRODUCE, Script.after(sent, exchange -> {
        attempts.incrementAndGet();
        exchange.standardFrame();
        ProduceResponses.refusal(ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND).run(exchange);
      }));
    });
    assertThat(attempts).hasValue(2);
    assertThat(acked).filteredOn(a -> a[1] == -1).extracting(a -> a[0]).contains(0L);
    assertThat(numbers(0)).allSatisfy(n -> assertThat(n).contains(":0:"));
  }

  /**
   * A broker that has forgotten an idle producer takes any number, even one behind a batch that it refuses. The refused
   * number was once used again, and the batch after that got the number of the stored one. The broker took it for that,
   * and it was lost.
   */
  @Test
  void refusedNumberIsNotUsedAgainIfALaterOneIsStored() throws InterruptedException {
    List<Exchange> held = new ArrayList<>(); // only for the broker's thread
    try (Producer<String, String> producer = producer().partitioner(BY_FIRST_LETTER).linger(Duration.ofMillis(1))
        .retryBackoff(Duration.ofMillis(1), Duration.ofMillis(1)).open()) {
      producer.sendAndWait("a", "first");
      broker.always(ApiKey.PRODUCE, exchange -> {
        if (epochOf(exchange.request()) > 0 || held.size() > 3) {
          exchange.answer();
          return;
        }
        held.add(exchange);
        if (held.size() == 2) {
          ProduceResponses.refusal(ErrorCode.INVALID_RECORD).run(held.get(0));
          broker.state().forgetProducers(0);
          held.get(1).answer();
        } else if (held.size() == 4) {
          held.get(2).answer();
          held.get(3).answer();
        }
      });
      producer.send("a", "refused");
      broker.await(ApiKey.PRODUCE, 2);
      producer.send("a", "v1");
      assertThat(producer.flush(LATER)).isTrue();
      producer.send("a", "v2");
      broker.await(ApiKey.PRODUCE, 4);
      producer.send("a", "v3");
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(broker.state().stored(0)).containsExactly("first", "v1", "v2", "v3");
  }

  /** Tests the same if the refused batch waits to be sent again, and fails after the later one was stored. */
  @Test
  void numberOfAFailedBatchIsNotUsedAgainIfALaterOneIsStored() throws InterruptedException {
    List<Exchange> held = new ArrayList<>(); // only for the broker's thread
    try (Producer<String, String> producer = producer().partitioner(BY_FIRST_LETTER).linger(Duration.ofMillis(1))
        .retryBackoff(Duration.ofSeconds(2), Duration.ofSeconds(2)).open()) {
      producer.sendAndWait("a", "first");
      broker.always(ApiKey.PRODUCE, exchange -> {
        if (held.size() > 1) {
          exchange.answer();
          return;
        }
        held.add(exchange);
        if (held.size() == 2) {
          ProduceResponses.refusal(ErrorCode.NOT_ENOUGH_REPLICAS).run(held.get(0));
          broker.state().forgetProducers(0);
          held.get(1).answer();
        }
      });
      AgainstScriptedTransactions.Failures failures = new AgainstScriptedTransactions.Failures();
      producer.send("a", "purged", 0, failures);
      broker.await(ApiKey.PRODUCE, 2);
      producer.sendAndWait("a", "v1");
      producer.purge();
      assertThat(failures.all).hasSize(1);
      producer.sendAndWait("a", "v2");
    }
    assertThat(numbers(0)).last().asString().as("not the number that was given up").endsWith(":1:0");
    assertThat(numbers(0)).hasSize(4);
    assertThat(broker.state().stored(0)).containsExactly("first", "v1", "v2");
  }

  private static ByteBuffer batchOf(Request request) {
    return Objects
        .requireNonNull(request.produce().topicData().getFirst().partitionData().getFirst().records());
  }

  private static int sequenceOf(Request request) {
    ByteBuffer b = batchOf(request);
    return b.getInt(b.position() + RecordBatchHeader.BASE_SEQUENCE);
  }

  private static short epochOf(Request request) {
    ByteBuffer b = batchOf(request);
    return b.getShort(b.position() + RecordBatchHeader.PRODUCER_EPOCH);
  }

  @Test
  void batchWhoseNumberIsAlwaysRefusedFailsAtTheDeliveryTimeout() throws InterruptedException {
    broker.always(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER));
    try (Producer<String, String> producer = producer().partitioner(BY_FIRST_LETTER)
        .deliveryTimeout(Duration.ofMillis(500)).open()) {
      assertThatThrownBy(() -> producer.sendAndWait("a", "lost")).isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("OUT_OF_ORDER_SEQUENCE_NUMBER").hasMessageContaining("within 500 ms");
    }
  }
}
