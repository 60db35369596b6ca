package dev.decant.lab.capacity;

import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.protocol.ApiKey;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Counts the responses that a client gets, and their bytes, by API. Any thread. */
final class Responses implements ConnectionListener {
  private final LongAdder[] counts = new LongAdder[ApiKey.values().length];
  private final LongAdder[] bytes = new LongAdder[ApiKey.values().length];

  Responses() {
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new LongAdder();
      bytes[i] = new LongAdder();
    }
  }

  @Override
  public void onResponse(String broker, short apiKey, int responseBytes, long nanos) {
    ApiKey api = Objects.requireNonNull(ApiKey.of(apiKey)); // the client has asked for it
    counts[api.ordinal()].increment();
    bytes[api.ordinal()].add(responseBytes);
  }

  long count(ApiKey api) {
    return counts[api.ordinal()].sum();
  }

  long bytes(ApiKey api) {
    return bytes[api.ordinal()].sum();
  }

  long count() {
    long all = 0;
    for (LongAdder one : counts) {
      all += one.sum();
    }
    return all;
  }
}
