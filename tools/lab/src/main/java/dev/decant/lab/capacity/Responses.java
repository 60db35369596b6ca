package dev.decant.lab.capacity;

import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.protocol.ApiKey;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Counts the responses that a client receives, and their bytes, by API. Any thread. */
final class Responses implements ConnectionListener {
  private final Map<ApiKey, LongAdder> counts = new EnumMap<>(ApiKey.class);
  private final Map<ApiKey, LongAdder> bytes = new EnumMap<>(ApiKey.class);

  Responses() {
    for (ApiKey api : ApiKey.values()) {
      counts.put(api, new LongAdder());
      bytes.put(api, new LongAdder());
    }
  }

  @Override
  public void onResponse(String broker, short apiKey, int responseBytes, long nanos) {
    ApiKey api = Objects.requireNonNull(ApiKey.of(apiKey)); // the client has sent the request, so its API is known
    of(counts, api).increment();
    of(bytes, api).add(responseBytes);
  }

  long count(ApiKey api) {
    return of(counts, api).sum();
  }

  long bytes(ApiKey api) {
    return of(bytes, api).sum();
  }

  long count() {
    return counts.values().stream().mapToLong(LongAdder::sum).sum();
  }

  private static LongAdder of(Map<ApiKey, LongAdder> all, ApiKey api) {
    return Objects.requireNonNull(all.get(api));
  }
}
