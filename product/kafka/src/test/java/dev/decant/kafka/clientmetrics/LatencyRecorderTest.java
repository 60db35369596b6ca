package dev.decant.kafka.clientmetrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.telemetry.Telemetry;
import dev.decant.time.Clock;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** Tests the durations that are measured while a broker asks for metrics. */
class LatencyRecorderTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int EVENTS = 1_000;
  private static final int RUNS = 100;
  private static final short PRODUCE = ApiKey.PRODUCE.id();
  private static final short FETCH = ApiKey.FETCH.id();
  private static final long MILLI = 1_000_000;

  private final Telemetry telemetry = new Telemetry(Clock.system());
  private final LatencyRecorder recorder = new LatencyRecorder(telemetry);

  private void response(short api, long millis) {
    telemetry.connection().response("broker:1", api, 100, 0, millis * MILLI);
  }

  @Test
  void meanAndMaximumAreOfTheResponsesSinceTheReset() {
    recorder.start();
    response(PRODUCE, 1);
    response(PRODUCE, 5);
    response(FETCH, 100);
    assertThat(recorder.produce.meanMillis()).isEqualTo(3);
    assertThat(recorder.produce.maxMillis()).isEqualTo(5);
    assertThat(recorder.fetch.maxMillis()).isEqualTo(100);
    assertThat(recorder.producerNodes).containsOnlyKeys("broker:1");
    recorder.reset();
    assertThat(recorder.produce.isEmpty()).isTrue();
    response(PRODUCE, 2);
    assertThat(recorder.produce.maxMillis()).isEqualTo(2);
  }

  @Test
  void throttleTimeCountsForItsResponse() {
    recorder.start();
    response(PRODUCE, 1);
    telemetry.connection().throttled("broker:1", 40);
    response(PRODUCE, 1);
    response(FETCH, 1);
    telemetry.connection().throttled("broker:1", 7);
    response(ApiKey.METADATA.id(), 1);
    telemetry.connection().throttled("broker:1", 1000);
    assertThat(recorder.produceThrottle.meanMillis()).isEqualTo(20);
    assertThat(recorder.produceThrottle.maxMillis()).isEqualTo(40);
    assertThat(recorder.fetchThrottle.maxMillis()).isEqualTo(7);
  }

  @Test
  void nothingIsRecordedBeforeTheStartAndAfterTheEnd() {
    response(PRODUCE, 1);
    telemetry.producer().queued(MILLI);
    assertThat(recorder.produce.isEmpty()).isTrue();
    recorder.start();
    recorder.start(); // a second start changes nothing
    telemetry.producer().queued(MILLI);
    telemetry.group().committed("billing", 1, 3 * MILLI);
    telemetry.group().rebalanceCompleted(9 * MILLI);
    assertThat(recorder.queue.maxMillis()).isEqualTo(1);
    assertThat(recorder.rebalance.maxMillis()).isEqualTo(9);
    assertThat(recorder.commits).hasEntrySatisfying("billing", w -> assertThat(w.maxMillis()).isEqualTo(3));
    recorder.stop();
    response(PRODUCE, 1);
    telemetry.producer().queued(MILLI);
    telemetry.group().rebalanceCompleted(MILLI);
    assertThat(recorder.produce.isEmpty()).isTrue();
    assertThat(recorder.rebalance.isEmpty()).isTrue();
    assertThat(recorder.queue.isEmpty()).isTrue();
  }

  @Test
  void brokersThatAreGoneAreForgotten() {
    recorder.start();
    for (int i = 0; i < 100; i++) {
      telemetry.connection().response("broker:" + i, PRODUCE, 100, 0, MILLI);
    }
    assertThat(recorder.producerNodes).hasSize(100);
    recorder.reset();
    response(PRODUCE, 1);
    recorder.reset();
    assertThat(recorder.producerNodes).hasSize(1);
  }

  @Test
  void measuringAllocatesNothing() {
    recorder.start();
    long least = Long.MAX_VALUE;
    for (int run = 0; run < RUNS; run++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < EVENTS; i++) {
        telemetry.connection().response("broker:1", PRODUCE, 100, i, i + 5L);
        telemetry.connection().response("broker:2", FETCH, 100, i, i + 5L);
        telemetry.producer().queued(i);
      }
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
    }
    assertThat(least).isZero();
  }
}
