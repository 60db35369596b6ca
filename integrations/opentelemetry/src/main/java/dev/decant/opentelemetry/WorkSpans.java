package dev.decant.opentelemetry;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.work.AsyncWorkHandler;
import dev.decant.kafka.work.WorkContext;
import dev.decant.kafka.work.WorkContextHandler;
import dev.decant.kafka.work.WorkListener;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The spans of one work, by OpenTelemetry's semantic conventions for messaging: {@code process TOPIC} around each
 * attempt of a handler that is surrounded, and {@code commit} for each commit of offsets. A process span is a child of
 * the span that the record's headers name, and linked to it. It is current while the handler runs, so spans of the
 * handler are its children.
 *
 * <pre>
 * WorkSpans spans = new WorkSpans(openTelemetry, "billing", RecordPropagation.traceContext());
 * builder.listener(spans).open(spans.around((record, context) -&gt; bill(record)));
 * </pre>
 *
 * <p>Immutable; any thread.
 */
@SuppressWarnings("exports") // a module that uses this class requires dev.decant.kafka.work itself
public final class WorkSpans implements WorkListener {
  private static final AttributeKey<Long> OFFSET = AttributeKey.longKey("messaging.kafka.offset");
  private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("decant.kafka.work.attempt");

  private final Tracer tracer;
  private final String group;
  private final RecordPropagation propagation;

  /**
   * Makes spans.
   *
   * @param telemetry takes them
   * @param group value of {@code messaging.consumer.group.name}
   * @param propagation reads the context of a record from its headers
   */
  public WorkSpans(OpenTelemetry telemetry, String group, RecordPropagation propagation) {
    this.tracer = telemetry.getTracer("dev.decant.kafka.work");
    this.group = group;
    this.propagation = propagation;
  }

  /**
   * Makes a span of each attempt.
   *
   * @param <K> type of keys
   * @param <V> type of values
   * @param handler works on records, with the span as the current one
   * @return the handler to open the work with
   */
  @SuppressWarnings("try") // the scope ends with its block
  public <K, V> WorkContextHandler<K, V> around(WorkContextHandler<K, V> handler) {
    return (record, context) -> {
      Span span = begin(record, context);
      Throwable error = null;
      try (Scope scope = span.makeCurrent()) {
        handler.handle(record, context);
      } catch (Throwable e) {
        error = e;
        throw e;
      } finally {
        end(span, error);
      }
    };
  }

  /**
   * Makes a span of each attempt, until its stage is complete.
   *
   * @param <K> type of keys
   * @param <V> type of values
   * @param handler begins records, with the span as the current one; a stage's threads have it if the handler passes
   *     {@link Context#current()} on
   * @return the handler to open the work with
   */
  @SuppressWarnings("try") // the scope ends with its block
  public <K, V> AsyncWorkHandler<K, V> aroundAsync(AsyncWorkHandler<K, V> handler) {
    return (record, context) -> {
      Span span = begin(record, context);
      CompletionStage<?> stage;
      try (Scope scope = span.makeCurrent()) {
        stage = handler.begin(record, context);
      } catch (Throwable e) {
        end(span, e);
        throw e;
      }
      if (stage == null) {
        end(span, null);
        return null;
      }
      return stage.whenComplete((result, error) -> end(span,
          error instanceof CompletionException e && e.getCause() != null
              ? e.getCause()
              : error));
    };
  }

  private Span begin(ConsumerRecord<?, ?> record, WorkContext context) {
    Context parent = propagation.extract(Context.root(), record);
    SpanBuilder builder = operation("process", "process", "process " + record.topic()).setParent(parent)
        .setSpanKind(SpanKind.CONSUMER)
        .setAttribute(ClientAttributes.DESTINATION, record.topic())
        .setAttribute(ClientAttributes.PARTITION, Integer.toString(record.partition()))
        .setAttribute(OFFSET, record.offset())
        .setAttribute(ATTEMPT, (long) context.attempt());
    SpanContext created = Span.fromContext(parent).getSpanContext();
    if (created.isValid()) {
      builder.addLink(created);
    }
    return builder.startSpan();
  }

  private SpanBuilder operation(String name, String type, String spanName) {
    return tracer.spanBuilder(spanName)
        .setAttribute(ClientAttributes.SYSTEM, "kafka")
        .setAttribute(ClientAttributes.OPERATION_NAME, name)
        .setAttribute(ClientAttributes.OPERATION_TYPE, type)
        .setAttribute(ClientAttributes.GROUP, group);
  }

  private static void end(Span span, @Nullable Throwable error) {
    if (error != null) {
      span.setAttribute(ClientAttributes.ERROR_TYPE, error.getClass().getName());
      span.setStatus(StatusCode.ERROR, String.valueOf(error.getMessage()));
      span.recordException(error);
    }
    span.end();
  }

  @Override
  public void onCommitted(List<TopicPartition> partitions, long nanos) {
    List<String> topics = partitions.stream().map(TopicPartition::topic).distinct().toList();
    boolean isOne = topics.size() == 1;
    SpanBuilder builder = operation("commit", "settle", isOne ? "commit " + topics.get(0) : "commit").setNoParent()
        .setSpanKind(SpanKind.CLIENT)
        .setStartTimestamp(Instant.now().minusNanos(nanos));
    if (isOne) {
      builder.setAttribute(ClientAttributes.DESTINATION, topics.get(0));
    }
    builder.startSpan().end();
  }
}
