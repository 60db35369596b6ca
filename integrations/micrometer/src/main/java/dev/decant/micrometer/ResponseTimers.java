package dev.decant.micrometer;

import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.protocol.ApiKey;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Times requests, with one timer per API in use. A fetch may wait at the broker for records, so its time is not
 * comparable with that of a produce request.
 */
final class ResponseTimers implements ConnectionListener {
  private final Meters meters;
  /** Written and read by the owner of the client's loop. */
  private final Map<ApiKey, Timer> timers = new EnumMap<>(ApiKey.class);

  ResponseTimers(Meters meters) {
    this.meters = meters;
  }

  @Override
  public void onResponse(String broker, short apiKey, int bytes, long nanos) {
    ApiKey api = ApiKey.of(apiKey);
    if (api == null) {
      return; // the client asks for nothing that it does not know
    }
    Timer timer = timers.get(api);
    if (timer == null) {
      timer = makeSlowPath(api);
    }
    if (timer != null) {
      timer.record(nanos, TimeUnit.NANOSECONDS);
    }
  }

  private @Nullable Timer makeSlowPath(ApiKey api) {
    Timer made = meters.timer("decant.kafka.response", "From queueing a request to its response", "api", api.label());
    if (made != null) {
      timers.put(api, made);
    }
    return made;
  }
}
