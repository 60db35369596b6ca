package dev.decant.kafka.client;

import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.telemetry.ClientMeter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Keeps the reports to a client's meter. */
final class RecordingMeter implements ClientMeter {
  final List<String> recorded = new CopyOnWriteArrayList<>();
  final AtomicInteger memoryWaits = new AtomicInteger();

  static RecordingMeter of(KafkaClient client) {
    RecordingMeter meter = new RecordingMeter();
    ClientInternals.of(client).telemetry().metering().meter(meter);
    return meter;
  }

  @Override
  public void onRequest(String broker, short apiKey, int bytes) {
    if (apiKey == ApiKey.PRODUCE.id()) {
      recorded.add("request of " + bytes);
    }
  }

  @Override
  public void onThrottle(int millis) {
    if (millis > 0) {
      recorded.add("throttle " + millis);
    }
  }

  @Override
  public void onAuthenticated(boolean again, long nanos) {
    recorded.add("authenticated" + (again ? " again" : "") + (nanos > 0 ? "" : " at once"));
  }

  @Override
  public void onAuthenticationFailed(boolean again) {
    recorded.add("refused" + (again ? " again" : ""));
  }

  @Override
  public void onBatch(String topic, int records, int bytes, int plainBytes) {
    recorded.add("batch for " + topic + ", records " + records + (bytes < plainBytes ? ", compressed" : ""));
  }

  @Override
  public void onQueued(long nanos) {
    recorded.add("queued" + (nanos < 0 ? " before its time" : ""));
  }

  @Override
  public void onSplit() {
    recorded.add("split");
  }

  @Override
  public void onMemoryAwaited(long nanos) {
    memoryWaits.incrementAndGet();
  }

  @Override
  public void onFetchConsumed() {
    recorded.add("fetch consumed");
  }

  @Override
  public void onDelivered(String topic, int partition, long lag, long lead, int replica) {
    recorded.add(topic + "-" + partition + " lag " + lag + " lead " + lead + " from " + replica);
  }

  @Override
  public void onJoined(long nanos) {
    recorded.add("joined");
  }

  @Override
  public void onSynced(long nanos) {
    recorded.add("synced");
  }

  @Override
  public void onRebalanced(long nanos) {
    recorded.add("rebalanced");
  }

  @Override
  public void onRebalanceFailed() {
    recorded.add("rebalance failed");
  }
}
