package dev.decant.kafka.cluster;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.telemetry.LastError;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The calls to one {@link Target}, one at a time and in order. A failed call is repeated while its caller wants it,
 * with growing pauses; a target that has moved is looked up again. The queue waits as long as a broker throttles this
 * client (KIP-219).
 *
 * <p>Owner of the loop only, except methods that say otherwise.
 */
public final class CallQueue {
  private final EventLoop loop;
  private final Consumer<KafkaException> onRetry;
  private final RetryBackoff backoff;
  private final String subject;
  private final Target target;
  private final ArrayDeque<RetriableCall> calls = new ArrayDeque<>();
  private final Timer timer = new Timer(this::pump);
  private boolean inFlight;
  private boolean closed;
  private int failures;
  private long retryAtNanos;

  /** The progress of the first call, for messages. Written by the owner of the loop, read by any thread. */
  private record Progress(String call, String broker, int attempts, @Nullable Throwable lastError) {}

  private static final Progress NOTHING = new Progress("none", "unknown", 0, null);

  private volatile Progress progress = NOTHING;

  /**
   * Makes an empty queue.
   *
   * @param subject the group or id for which calls are made, for messages: "group orders"
   * @param backoff the pauses between the attempts of a call
   * @param target makes the target from a callback, which runs when the target has changed
   * @param onRetry takes the failure of an attempt before each pause
   */
  public CallQueue(EventLoop loop, String subject, RetryBackoff backoff, Function<Runnable, Target> target,
      Consumer<KafkaException> onRetry) {
    this.loop = loop;
    this.subject = subject;
    this.backoff = backoff;
    this.onRetry = onRetry;
    this.retryAtNanos = loop.clock().nanoTime();
    this.target = target.apply(this::pump);
  }

  /**
   * Adds a call at the end.
   *
   * @param call in no queue
   */
  public void submit(RetriableCall call) {
    call.submittedTo(this);
    calls.addLast(call);
    pump();
  }

  /** Returns true if no call is being made and none waits. Any thread. */
  public boolean isIdle() {
    return NOTHING.equals(progress);
  }

  /** Sends the first call if possible; otherwise schedules the next attempt. */
  public void pump() {
    while (!inFlight && !closed) {
      RetriableCall call = calls.peekFirst();
      if (call == null) {
        return;
      }
      if (!call.isWanted()) {
        end(call);
        call.dropped();
        continue;
      }
      long now = loop.nowNanos();
      long turn = retryAtNanos - now > 0 ? retryAtNanos : call.turn(now);
      if (turn - now > 0) {
        loop.schedule(timer, turn);
        return;
      }
      if (inFlight || !call.equals(calls.peekFirst())) {
        continue; // turn() re-entered pump(), which has sent this call already
      }
      BrokerLink link = target.readyLink();
      if (link != null && link.isThrottled()) {
        loop.schedule(timer, link.throttledUntilNanos());
        return;
      }
      if (link != null) {
        send(call, link);
      } else if (!isOver(call)) {
        return;
      }
    }
  }

  /** Fails the call if its target has a final error; returns true then. */
  private boolean isOver(RetriableCall call) {
    KafkaException error = target.lastError();
    progress = new Progress(call.name(), target.name(), call.attempts(), error);
    if (error == null || error.code() == ErrorCode.NONE || error.code().isRetriable()) {
      return false;
    }
    end(call);
    call.failed(error);
    return true;
  }

  private void send(RetriableCall call, BrokerLink link) {
    inFlight = true;
    call.attempt();
    progress = new Progress(call.name(), link.name(), call.attempts(), progress.lastError());
    link.send(call);
  }

  private void end(RetriableCall call) {
    calls.remove(call);
    failures = 0;
    progress = NOTHING;
  }

  void onResponse(RetriableCall call, ErrorCode code) {
    if (closed) {
      return; // the call was dropped by close()
    }
    inFlight = false;
    if (code == ErrorCode.NONE) {
      end(call);
      call.done();
    } else {
      refused(call, new KafkaException(code,
          call.name() + " for " + subject + ": broker " + call.brokerName() + " answered " + code));
    }
    pump();
  }

  void onUnsupported(RetriableCall call, KafkaException cause) {
    if (closed) {
      return;
    }
    inFlight = false;
    refused(call, cause);
    pump();
  }

  private void refused(RetriableCall call, KafkaException error) {
    if (!error.code().isRetriable()) {
      end(call);
      call.failed(error);
      return;
    }
    if (error.code() == ErrorCode.NOT_COORDINATOR || error.code() == ErrorCode.COORDINATOR_NOT_AVAILABLE
        || error.code() == ErrorCode.NOT_CONTROLLER) {
      target.moved(error);
    }
    retry(call, error);
  }

  private void retry(RetriableCall call, KafkaException error) {
    onRetry.accept(error);
    progress = new Progress(call.name(), target.name(), call.attempts(), error);
    failures++;
    long now = loop.nowNanos();
    retryAtNanos = now + backoff.nanos(failures, now);
    call.paused(error);
  }

  void onFailure(RetriableCall call, KafkaException cause) {
    if (closed || !inFlight || !call.equals(calls.peekFirst())) {
      return; // the call has ended: an exception after its response, or after close(), was reported as its failure
    }
    inFlight = false;
    retry(call, cause);
    loop.schedule(timer, retryAtNanos);
  }

  /**
   * Returns stage, broker, attempts and last error of the present call, for messages. Any thread.
   *
   * @param otherwise the error to name if no attempt of the call has failed, for instance because its broker was never
   *     found; null if there is none either
   */
  public String describe(@Nullable Throwable otherwise) {
    Progress now = progress;
    Throwable error = now.lastError() == null ? otherwise : now.lastError();
    return "stage " + now.call() + ", broker " + now.broker() + ", attempts " + now.attempts() + ", "
        + (error == null ? LastError.words(null) : "last error: " + LastError.message(error));
  }

  /** Returns the error of the last attempt of the present call; null if none has failed. Any thread. */
  public @Nullable Throwable lastError() {
    return progress.lastError();
  }

  /** Closes the target and drops all calls. */
  public void close() {
    closed = true;
    loop.cancel(timer);
    target.close();
    for (RetriableCall call = calls.pollFirst(); call != null; call = calls.pollFirst()) {
      call.dropped();
    }
  }
}
