package dev.decant.fake.api;

import dev.decant.fake.cluster.Release;
import dev.decant.kafka.protocol.ApiKey;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The APIs of the cluster. An API that is not in the table, or not in the release, is neither offered nor served. */
public final class ApiTable {
  private final Release release;
  private final Map<ApiKey, Api<?, ?>> apis = new EnumMap<>(ApiKey.class);
  /** What adds the APIs that nobody has asked for yet. */
  private final Map<ApiKey, Runnable> later = new EnumMap<>(ApiKey.class);

  /** Creates a table without APIs. */
  public ApiTable(Release release) {
    this.release = release;
  }

  /** Adds an API. */
  public <Q, R> void add(ApiKey key, Api.Reader<Q> reader, Api.Writer<R> writer, Api.Throttle<R> throttle,
      ApiHandler<Q, R> handler) {
    apis.put(key, new Api<>(key, reader, writer, throttle, handler));
  }

  /**
   * Adds APIs at the first request for one of them. The classes of their messages take a large part of a cluster's
   * start, and most tests need few of them.
   *
   * @param keys all APIs that the task adds
   * @param addition adds them
   */
  public void addLater(Set<ApiKey> keys, Runnable addition) {
    keys.forEach(key -> later.put(key, addition));
  }

  /** An API, or null if the cluster does not speak it. */
  public @Nullable Api<?, ?> of(ApiKey key) {
    Runnable addition = later.get(key);
    if (addition != null) {
      addNow(addition);
    }
    return apis.get(key);
  }

  private void addNow(Runnable addition) {
    Set<ApiKey> before = Set.copyOf(apis.keySet());
    addition.run();
    for (ApiKey added : apis.keySet()) {
      if (!before.contains(added) && later.get(added) != addition) { // clients would not have heard of it until now
        throw new IllegalStateException(added + " is missing among the APIs that are added later");
      }
    }
    later.values().removeIf(other -> other == addition);
  }

  /** The versions of an API that are served; null if it is not. */
  public Release.@Nullable Range versions(ApiKey key) {
    return apis.containsKey(key) || later.containsKey(key) ? release.versions(key) : null;
  }
}
