package dev.decant.fake.api;

import dev.decant.fake.cluster.Release;
import dev.decant.kafka.protocol.ApiKey;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The APIs of the cluster. An API that is not in the table, or not in the release, is neither offered nor served. */
public final class ApiTable {
  private final Release release;
  private final Map<ApiKey, Api<?, ?>> apis = new EnumMap<>(ApiKey.class);
  /** For each API that is not added yet, the task that adds it at its first request. */
  private final Map<ApiKey, Runnable> later = new EnumMap<>(ApiKey.class);
  /** For each of those APIs, the wrappers to apply when it is added. */
  private final Map<ApiKey, List<Runnable>> wrappers = new EnumMap<>(ApiKey.class);

  public ApiTable(Release release) {
    this.release = release;
  }

  /** Adds an API. */
  public <Q, R> void add(ApiKey key, Api.Reader<Q> reader, Api.Writer<R> writer, Api.Throttle<R> throttle,
      ApiHandler<Q, R> handler) {
    apis.put(key, new Api<>(key, reader, writer, throttle, handler));
  }

  /**
   * Adds APIs at the first request for one of them. Loading the classes of their messages would be a large part of a
   * cluster's start, and most tests need few of them: a first start loaded 1,100 classes, and loads 640 now.
   *
   * @param keys all APIs that the task adds
   * @param addition adds them
   */
  public void addLater(Set<ApiKey> keys, Runnable addition) {
    keys.forEach(key -> later.put(key, addition));
  }

  /**
   * Wraps the handler of an API. Does nothing if the cluster does not serve the API.
   *
   * @param <Q> its request
   * @param <R> its response
   * @param wrapper takes the present handler and returns the new one
   */
  public <Q, R> void wrap(ApiKey key, UnaryOperator<ApiHandler<Q, R>> wrapper) {
    if (apis.containsKey(key)) {
      wrapNow(key, wrapper);
    } else if (later.containsKey(key)) {
      wrappers.computeIfAbsent(key, k -> new ArrayList<>()).add(() -> wrapNow(key, wrapper));
    }
  }

  @SuppressWarnings("unchecked") // the caller names the messages of the API, as for add
  private <Q, R> void wrapNow(ApiKey key, UnaryOperator<ApiHandler<Q, R>> wrapper) {
    Api<Q, R> api = (Api<Q, R>) Objects.requireNonNull(apis.get(key));
    apis.put(key, new Api<>(key, api.reader(), api.writer(), api.throttle(), wrapper.apply(api.handler())));
  }

  /** Returns an API; null if the cluster does not serve it. */
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
      // an addition must stay within the APIs that it has announced: clients know no others
      if (!before.contains(added) && !addition.equals(later.get(added))) {
        throw new IllegalStateException(added + " is missing among the APIs that are added later");
      }
    }
    later.values().removeIf(addition::equals);
    for (ApiKey added : apis.keySet()) {
      List<Runnable> waiting = wrappers.remove(added);
      if (waiting != null) {
        waiting.forEach(Runnable::run);
      }
    }
  }

  /** Returns the served versions of an API; null if it is not served. */
  public Release.@Nullable Range versions(ApiKey key) {
    return apis.containsKey(key) || later.containsKey(key) ? release.versions(key) : null;
  }
}
