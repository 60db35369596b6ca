package dev.decant.opentelemetry;

import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.producer.Headers;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.context.propagation.TextMapSetter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Carries a context from the producer of a record to its consumer, in the record's headers.
 *
 * <pre>
 * RecordPropagation propagation = RecordPropagation.traceContext();
 * propagation.inject(Context.current(), options.headers().clear());         // before send
 * Context context = propagation.extract(Context.root(), record);           // in the handler of poll
 * </pre>
 *
 * <p>Beside what the propagator makes, only the text of each header that is found is allocated; a record without
 * headers costs nothing. Any thread.
 */
public final class RecordPropagation {
  private static final TextMapSetter<Headers> SETTER = (headers, key, value) -> {
    if (headers != null) { // never is, but the library declares that it may be
      headers.addText(key, value);
    }
  };
  private static final TextMapGetter<ConsumerRecord<?, ?>> GETTER = new Getter();

  private final TextMapPropagator propagator;

  /**
   * Carries what a propagator does.
   *
   * @param propagator reads headers by their names; one that looks through all of them finds none
   */
  public RecordPropagation(TextMapPropagator propagator) {
    this.propagator = propagator;
  }

  /**
   * Carries W3C Trace Context: headers {@code traceparent} and {@code tracestate}.
   *
   * @return a new instance
   */
  public static RecordPropagation traceContext() {
    return new RecordPropagation(W3CTraceContextPropagator.getInstance());
  }

  /**
   * Adds a context to the headers of a record that will be sent.
   *
   * @param context the sender's; one without a valid span adds nothing
   * @param headers take it; of two headers with one name the later is read
   */
  public void inject(Context context, Headers headers) {
    propagator.inject(context, headers, SETTER);
  }

  /**
   * Reads the context of a record.
   *
   * @param context what is added to, {@link Context#root()} as a rule
   * @param record during the handler's call; headers that are malformed are ignored
   * @return the given context itself if the record has none
   */
  public Context extract(Context context, ConsumerRecord<?, ?> record) {
    return record.headerCount() == 0 ? context : propagator.extract(context, record, GETTER);
  }

  /** Reads headers by their names; lists none, so that a record costs nothing beside the text of what is read. */
  private static final class Getter implements TextMapGetter<ConsumerRecord<?, ?>> {
    @Override
    public Iterable<String> keys(ConsumerRecord<?, ?> record) {
      return List.of();
    }

    @Override
    public @Nullable String get(@Nullable ConsumerRecord<?, ?> record, String key) {
      return record == null ? null : record.headerText(key);
    }
  }
}
