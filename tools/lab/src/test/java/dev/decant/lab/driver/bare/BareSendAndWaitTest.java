package dev.decant.lab.driver.bare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.broker.Request;
import dev.decant.kafka.protocol.message.ProduceRequest;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.record.RecordBatchHeader;
import dev.decant.lab.driver.Payloads;
import dev.decant.lab.driver.Work;
import dev.decant.lab.driver.WorkKind;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.driver.WorkType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class BareSendAndWaitTest {
  private static final String TOPIC = "orders";
  private static final int PARTITIONS = 3;
  private static final int RECORD_BYTES = 100;
  private static final int THREADS = 20;
  /** Room for two records, so that a request has six at most. */
  private static final int BATCH_BYTES = RecordBatchHeader.BYTES + 2 * 107;
  private static final int REQUEST_RECORDS = 6;
  private static final long NEVER = 1L << 62;
  private static final short NOT_LEADER = 6;

  private interface Act {
    void on(Work work) throws Exception;
  }

  private static WorkSpec spec(int port, int threads, boolean virtual) {
    return new WorkSpec(WorkSpec.BARE_SOCKET, WorkKind.named("bare-send-and-wait"),
        WorkSpec.Access.plain("127.0.0.1:" + port),
        new WorkSpec.Topics(TOPIC, 1, PARTITIONS),
        new WorkSpec.Load(RECORD_BYTES, Payloads.TEXT, threads, virtual, 0, 7, 0, WorkSpec.Keys.NONE,
            WorkSpec.Handlers.NONE),
        new WorkSpec.Amount(0, 300, 0, 0),
        Map.of("acks", "1", "batch.size", Integer.toString(BATCH_BYTES)), Map.of());
  }

  /** Runs the work with a broker that leads the topic, and whose script handles the requests. */
  private static void work(ByteBroker.Script script, int threads, boolean virtual, Act act) throws Exception {
    int[] port = new int[1];
    try (ByteBroker leader = new ByteBroker(script);
        ByteBroker any = new ByteBroker(request -> new byte[][] {
            ByteBroker.metadata(request, TOPIC, port[0], 5, 5, 5)})) {
      port[0] = leader.address().getPort();
      try (Work work = WorkType.open(spec(any.address().getPort(), threads, virtual))) {
        act.on(work);
      }
    }
  }

  private static void work(ByteBroker.Script script, Act act) throws Exception {
    work(script, THREADS, true, act);
  }

  private static List<byte[]> values(Request request) {
    ProduceRequest read = (ProduceRequest) request.body();
    assertThat(read.acks()).isEqualTo((short) 1);
    List<byte[]> values = new ArrayList<>();
    BareProduceTest.partitions(read)
        .forEach(partition -> values.addAll(BareProduceTest.values(partition, CompressionType.NONE)));
    return values;
  }

  @ParameterizedTest
  @CsvSource({"20, true", "20, false", "5, true", "1, true", "1, false"})
  void everyRecordIsStoredOnceWhenTheWorkReturns(int threads, boolean virtual) throws Exception {
    List<byte[]> sent = new ArrayList<>(); // written by the broker's thread before its response
    work(request -> {
      List<byte[]> values = values(request);
      assertThat(values).hasSizeBetween(1, Math.min(threads, REQUEST_RECORDS));
      sent.addAll(values);
      return new byte[][] {BareProduceTest.response(request)};
    }, threads, virtual, work -> {
      assertThat(work.run(27, System.nanoTime() + NEVER)).isEqualTo(27);
      assertThat(sent).hasSize(27);
      work.begin();
      assertThat(work.run(300, System.nanoTime() + NEVER)).isEqualTo(300);
      assertThat(sent).hasSize(327);
      assertThat(work.progress()).isEqualTo(327);
      assertThat(work.checksum()).isEqualTo(327);
      assertThat(work.latency().getTotalCount()).isEqualTo(300);
      assertThat(work.run(300, System.nanoTime() - 1)).as("the time is over").isZero();
      assertThat(sent).hasSize(327);
      Map<String, Double> figures = new HashMap<>();
      work.figures(300, figures);
      assertThat(figures.containsKey("caller_bytes_per_record")).isEqualTo(!virtual);
    });
    for (int i = 0; i < sent.size(); i++) {
      assertThat(sent.get(i)).isEqualTo(BareProduceTest.value(i));
    }
  }

  @Test
  void noThreadGoesOnBeforeItsRecordIsAcknowledged() throws Exception {
    int[] received = new int[1];
    Work[] worked = new Work[1];
    work(request -> {
      int acknowledgedBefore = received[0];
      received[0] += values(request).size();
      long counted = worked[0].progress();
      assertThat(counted).isLessThanOrEqualTo(acknowledgedBefore);
      assertThat(received[0] - counted).as("each thread has one at most").isLessThanOrEqualTo(THREADS);
      return new byte[][] {BareProduceTest.response(request)};
    }, work -> {
      worked[0] = work;
      assertThat(work.run(400, System.nanoTime() + NEVER)).isEqualTo(400);
    });
    assertThat(received[0]).isEqualTo(400);
  }

  private static byte[] cut(byte[] response) {
    byte[] cut = Arrays.copyOf(response, response.length - 5);
    ByteBuffer.wrap(cut).putInt(0, cut.length - Integer.BYTES);
    return cut;
  }

  private static byte[] refused(Request request) {
    return ByteBroker.response(request, out -> BareProduceTest
        .response(BareProduceTest.stored(0).errorCode(NOT_LEADER)).write(out, BareMessages.PRODUCE_VERSION));
  }

  private static Stream<Arguments> failures() {
    return Stream.of(Arguments.of((ByteBroker.Script) request -> new byte[0][], "closed the connection"),
        Arguments.of((ByteBroker.Script) request -> new byte[][] {refused(request)}, "NOT_LEADER_OR_FOLLOWER (6)"),
        Arguments.of((ByteBroker.Script) request -> new byte[][] {cut(BareProduceTest.response(request))},
            "malformed"),
        Arguments.of((ByteBroker.Script) request -> new byte[][] {{0, 0, 0, 1, 0}}, ""),
        Arguments.of((ByteBroker.Script) request -> new byte[][] {{-1, 0, 0, 0}}, "a response of -16777216 bytes"));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void aBrokerThatFailsEndsTheRunAndLetsAllThreadsGo(ByteBroker.Script failing, String why) throws Exception {
    int[] seen = new int[1];
    work(request -> seen[0]++ < 10 ? new byte[][] {BareProduceTest.response(request)} : failing.response(request),
        work -> {
          assertThatThrownBy(() -> work.run(1_000_000, System.nanoTime() + NEVER))
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("who sends for all has failed: ").hasMessageContaining(why);
          assertThat(work.progress()).isPositive();
          assertThatThrownBy(() -> work.run(1, System.nanoTime() + NEVER)).as("no further run")
              .isInstanceOf(IllegalStateException.class).hasMessageContaining(why);
        });
  }

  @Test
  void theDeadlineEndsItWithAllThatWasSentStored() throws Exception {
    int[] received = new int[1];
    work(request -> {
      received[0] += values(request).size();
      return new byte[][] {BareProduceTest.response(request)};
    }, work -> {
      long done = work.run(Long.MAX_VALUE, System.nanoTime() + 200_000_000);
      assertThat(done).isPositive().isEqualTo(work.progress()).isEqualTo(received[0]);
    });
  }

  @ParameterizedTest
  @CsvSource({"20, true", "20, false", "1, false"})
  void anInterruptionEndsItWhenTheBrokerIsSilent(int threads, boolean virtual) throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    work(request -> {
      asked.countDown();
      return new byte[][] {{}};
    }, threads, virtual, work -> {
      FutureTask<Void> task = new FutureTask<>(() -> {
        assertThatThrownBy(() -> work.run(100, System.nanoTime() + NEVER)).isInstanceOf(InterruptedException.class);
        return null;
      });
      Thread runner = Thread.ofPlatform().start(task);
      asked.await();
      runner.interrupt();
      task.get();
      assertThat(work.progress()).isZero();
      assertThatThrownBy(() -> work.run(1, System.nanoTime() + NEVER)).isInstanceOf(IllegalStateException.class);
    });
  }
}
