package dev.decant.kafka.work.jfr;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.work.AfterFailure;
import dev.decant.kafka.work.AsyncWorkHandler;
import dev.decant.kafka.work.BatchContextHandler;
import dev.decant.kafka.work.BatchWorkHandler;
import dev.decant.kafka.work.WorkContext;
import dev.decant.kafka.work.WorkContextHandler;
import dev.decant.kafka.work.WorkListener;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import jdk.jfr.EventType;
import org.jspecify.annotations.Nullable;

/**
 * Writes events of a work into the recordings of the JDK's Flight Recorder, named
 * {@code dev.decant.kafka.work.AttemptFailed}, {@code RecordFailed}, {@code Committed} and, of handlers that it
 * surrounds, {@code RecordWorked}. That one has a threshold of 20 ms, as the JDK's events of input and output have.
 *
 * <pre>
 * WorkRecorder recorder = WorkRecorder.of("billing");
 * builder.listener(recorder).open(recorder.around((record, context) -&gt; bill(record)));
 * </pre>
 *
 * <p>While no recording wants an event, a handler costs two branches more, and nothing is allocated or measured.
 * Immutable; any thread.
 */
public final class WorkRecorder implements WorkListener {
  private final String group;
  private final EventType worked;
  private final EventType attemptFailed;
  private final EventType recordFailed;
  private final EventType committed;

  private WorkRecorder(String group) {
    this.group = group;
    this.worked = EventType.getEventType(RecordWorkedEvent.class);
    this.attemptFailed = EventType.getEventType(AttemptFailedEvent.class);
    this.recordFailed = EventType.getEventType(RecordFailedEvent.class);
    this.committed = EventType.getEventType(CommittedEvent.class);
  }

  /**
   * Makes a recorder.
   *
   * @param group the consumer group, for the events
   * @return a listener for {@link dev.decant.kafka.work.WorkBuilder#listener}
   * @throws IllegalStateException when this Java runtime has no Flight Recorder
   */
  public static WorkRecorder of(String group) {
    if (ModuleLayer.boot().findModule("jdk.jfr").isEmpty()) {
      throw new IllegalStateException("this Java runtime was started without the module jdk.jfr; "
          + "add --add-modules jdk.jfr to its command line, or to jlink if it has none");
    }
    return new WorkRecorder(Objects.requireNonNull(group, "group"));
  }

  /**
   * Records attempts that take long.
   *
   * @param <K> type of keys
   * @param <V> type of values
   * @param handler works on records
   * @return the handler to open the work with
   */
  public <K, V> WorkContextHandler<K, V> around(WorkContextHandler<K, V> handler) {
    Objects.requireNonNull(handler, "handler");
    return (record, context) -> {
      if (!worked.isEnabled()) {
        handler.handle(record, context);
        return;
      }
      RecordWorkedEvent event = begin();
      Throwable error = null;
      try {
        handler.handle(record, context);
      } catch (Throwable e) {
        error = e;
        throw e;
      } finally {
        end(event, record, 1, context.attempt(), error);
      }
    };
  }

  /**
   * Records attempts that take long, of a handler of batches.
   *
   * @param <K> type of keys
   * @param <V> type of values
   * @param handler works on records
   * @return the handler to open the work with
   */
  public <K, V> BatchWorkHandler<K, V> aroundBatches(BatchWorkHandler<K, V> handler) {
    Objects.requireNonNull(handler, "handler");
    BatchContextHandler<K, V> recorded = aroundBatches((records, contexts) -> handler.handle(records));
    return records -> recorded.handle(records, List.of());
  }

  /**
   * Records attempts that take long, of a handler of batches that gets contexts.
   *
   * @param <K> type of keys
   * @param <V> type of values
   * @param handler works on records
   * @return the handler to open the work with
   */
  public <K, V> BatchContextHandler<K, V> aroundBatches(BatchContextHandler<K, V> handler) {
    Objects.requireNonNull(handler, "handler");
    return (records, contexts) -> {
      if (!worked.isEnabled()) {
        handler.handle(records, contexts);
        return;
      }
      RecordWorkedEvent event = begin();
      Throwable error = null;
      try {
        handler.handle(records, contexts);
      } catch (Throwable e) {
        error = e;
        throw e;
      } finally {
        end(event, records.get(0), records.size(), 0, error);
      }
    };
  }

  /**
   * Records attempts that take long, of an asynchronous handler: until its stage is complete.
   *
   * @param <K> type of keys
   * @param <V> type of values
   * @param handler begins records
   * @return the handler to open the work with
   */
  public <K, V> AsyncWorkHandler<K, V> aroundAsync(AsyncWorkHandler<K, V> handler) {
    Objects.requireNonNull(handler, "handler");
    return (record, context) -> worked.isEnabled() ? begun(handler, record, context) : handler.begin(record, context);
  }

  private static <K, V> @Nullable CompletionStage<?> begun(AsyncWorkHandler<K, V> handler, ConsumerRecord<K, V> record,
      WorkContext context) throws Exception {
    RecordWorkedEvent event = begin();
    int attempt = context.attempt();
    CompletionStage<?> stage;
    try {
      stage = handler.begin(record, context);
    } catch (Throwable e) {
      end(event, record, 1, attempt, e);
      throw e;
    }
    if (stage == null) {
      end(event, record, 1, attempt, null);
      return null;
    }
    return stage.whenComplete((result, error) -> end(event, record, 1, attempt, error));
  }

  private static RecordWorkedEvent begin() {
    RecordWorkedEvent event = new RecordWorkedEvent();
    event.begin();
    return event;
  }

  private static void end(RecordWorkedEvent event, ConsumerRecord<?, ?> record, int records, int attempt,
      @Nullable Throwable error) {
    event.end();
    if (event.shouldCommit()) {
      event.topic = record.topic();
      event.partition = record.partition();
      event.offset = record.offset();
      event.records = records;
      event.attempt = attempt;
      event.error = error == null ? null : error.getClass().getName();
      event.commit();
    }
  }

  @Override
  public void onAttemptFailed(TopicPartition partition, long offset, int attempt, boolean isRetried, Throwable error) {
    if (attemptFailed.isEnabled()) {
      new AttemptFailedEvent(partition, offset, attempt, isRetried, error.toString()).commit();
    }
  }

  @Override
  public void onRecordFailed(TopicPartition partition, long offset, AfterFailure becomes, Throwable error) {
    if (recordFailed.isEnabled()) {
      new RecordFailedEvent(partition, offset, becomes.name(), error.toString()).commit();
    }
  }

  @Override
  public void onCommitted(List<TopicPartition> partitions, long nanos) {
    if (committed.isEnabled()) {
      new CommittedEvent(group, partitions.size(), nanos).commit();
    }
  }
}
