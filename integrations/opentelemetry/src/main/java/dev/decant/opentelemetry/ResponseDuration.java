package dev.decant.opentelemetry;

import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.protocol.ApiKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.Meter;
import java.util.EnumMap;
import java.util.Map;

/** Records how long requests took, by API: a fetch may wait at the broker for records. */
final class ResponseDuration implements ConnectionListener {
  private final DoubleHistogram histogram;
  /** Not changed any more. */
  private final Map<ApiKey, Attributes> byApi = new EnumMap<>(ApiKey.class);

  ResponseDuration(Meter meter, ClientAttributes attributes) {
    histogram = Durations.histogram(meter, "decant.kafka.response.duration", "From queueing a request to its response");
    for (ApiKey api : ApiKey.values()) {
      byApi.put(api, attributes.with(ClientAttributes.API, api.label()));
    }
  }

  @Override
  public void onResponse(String broker, short apiKey, int bytes, long nanos) {
    Attributes attributes = byApi.get(ApiKey.of(apiKey));
    if (attributes != null) { // the client asks for nothing that it does not know
      histogram.record(Durations.seconds(nanos), attributes);
    }
  }
}
