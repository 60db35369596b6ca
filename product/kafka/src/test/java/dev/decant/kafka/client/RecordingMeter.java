package dev.decant.kafka.client;

import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.telemetry.ClientMeter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Keeps the reports to a client's meter. */
final class RecordingMeter implements ClientMeter {
  final List<String> told = new CopyOnWriteArrayList<>();
  final AtomicInteger memoryWaits = new AtomicInteger();

  static RecordingMeter of(KafkaClient client) {
    RecordingMeter meter = new RecordingMeter();
    ClientInternals.of(client).telemetry().metering().meter(meter);
    return meter;
  }

  @Override
  public void onRequest(String broker, short apiKey, int bytes) {
    if (apiKey == ApiKey.PRODUCE.id()) {
      told.add("request of " + bytes);
    }
  }

  @Override
  public void onThrottle(int millis) {
    if (millis > 0) {
      told.add("throttle " + millis);
    }
  }

  @Override
  public void onAuthenticated(boolean again, long nanos) {
    told.add("authenticated" + (again ? " again" : "") + (nanos > 0 ? "" : " at once"));
  }

  @Override
  public void onAuthenticationFailed(boolean again) {
    told.add("refused" + (again ? " again" : ""));
  }

  @Override
  public void onBatch(String topic, int records, int bytes, int plainBytes) {
    told.add("batch for " + topic + ", records " + records + (bytes < plainBytes ? ", compressed" : ""));
  }

  @Override
  public void onQueued(long nanos) {
    told.add("queued" + (nanos < 0 ? " before its time" : ""));
  }

  @Override
  public void onSplit() {
    told.add("split");
  }

  @Override
  public void onMemoryAwaited(long nanos) {
    memoryWaits.incrementAndGet();
  }

  @Override
  public void onFetchConsumed() {
    told.add("fetch consumed");
  }

  @Override
  public void onDelivered(String topic, int partition, long lag, long lead, int replica) {
    told.add(topic + "-" + partition + " lag " + lag + " lead " + lead + " from " + replica);
  }

  @Override
  public void onJoined(long nanos) {
    told.add("joined");
  }

  @Override
  public void onSynced(long nanos) {
    told.add("synced");
  }

  @Override
  public void onRebalanced(long nanos) {
    told.add("rebalanced");
  }

  @Override
  public void onRebalanceFailed() {
    told.add("rebalance failed");
  }
}
