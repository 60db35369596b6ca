package dev.decant.fake.api;

import dev.decant.fake.cluster.Release;
import dev.decant.kafka.protocol.ApiKey;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The APIs of the cluster. An API that is not in the table, or not in the release, is neither offered nor served. */
public final class ApiTable {
  private final Release release;
  private final Map<ApiKey, Api<?, ?>> apis = new EnumMap<>(ApiKey.class);

  /** Creates a table without APIs. */
  public ApiTable(Release release) {
    this.release = release;
  }

  /** Adds an API. */
  public <Q, R> void add(ApiKey key, Api.Reader<Q> reader, Api.Writer<R> writer, Api.Throttle<R> throttle,
      ApiHandler<Q, R> handler) {
    apis.put(key, new Api<>(key, reader, writer, throttle, handler));
  }

  /** An API, or null if the cluster does not speak it. */
  public @Nullable Api<?, ?> of(ApiKey key) {
    return apis.get(key);
  }

  /** The versions of an API that are served; null if it is not. */
  public Release.@Nullable Range versions(ApiKey key) {
    return apis.containsKey(key) ? release.versions(key) : null;
  }
}
