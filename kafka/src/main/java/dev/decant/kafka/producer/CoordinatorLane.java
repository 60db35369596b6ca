package dev.decant.kafka.producer;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.Coordinator;
import dev.decant.kafka.cluster.ResponseHandler;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.telemetry.TransactionEvents;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The calls to one coordinator, one at a time and in order. What may succeed later is repeated with a growing pause for
 * as long as it is wanted, and the coordinator is looked up again when it has moved: whoever waits sets the bound.
 *
 * <p>Owner of the loop only, but for what says otherwise.
 */
final class CoordinatorLane implements ResponseHandler {
  /** The transaction before is mostly over within so much. */
  private static final RetryBackoff BACKOFF = new RetryBackoff(TimeUnit.MILLISECONDS.toNanos(20),
      TimeUnit.SECONDS.toNanos(1));

  private final EventLoop loop;
  private final TransactionEvents events;
  private final Coordinator coordinator;
  private final String what;
  private final ArrayDeque<CoordinatorCall> calls = new ArrayDeque<>();
  private final Timer timer = new Timer(this::pump);
  private boolean inFlight;
  private boolean closed;
  private int failures;
  private long retryAtNanos;

  /** Where the first call stands, for messages; written by the owner of the loop, read by any thread. */
  private record Progress(String call, String broker, int attempts, @Nullable Throwable lastError) {}

  private static final Progress NOTHING = new Progress("none", "unknown", 0, null);

  private volatile Progress progress = NOTHING;

  CoordinatorLane(TransactionContext context, Coordinator.Kind kind, String key) {
    this.loop = context.client().loop();
    this.events = context.client().telemetry().transaction();
    this.what = (kind == Coordinator.Kind.GROUP ? "group " : "transactional id ") + key;
    this.coordinator = new Coordinator(context.client().cluster(), kind, key, this::pump);
    this.retryAtNanos = loop.clock().nanoTime();
  }

  void submit(CoordinatorCall call) {
    calls.addLast(call);
    pump();
  }

  /** Whether no call is being made; any thread. */
  boolean isIdle() {
    return NOTHING.equals(progress);
  }

  /** Sends the first call if that can be done now; else sees to it that it is looked at again. */
  void pump() {
    while (!inFlight && !closed) {
      CoordinatorCall call = calls.peekFirst();
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
        continue; // asking for its turn was what gave it
      }
      BrokerLink link = coordinator.readyLink();
      if (link != null) {
        send(call, link);
      } else if (!mayBeFound(call)) {
        return;
      }
    }
  }

  /** Whether the call is over since there is no coordinator for it; else there may be one later. */
  private boolean mayBeFound(CoordinatorCall call) {
    KafkaException error = coordinator.lastError();
    progress = new Progress(call.name, coordinator.name(), call.attempts, error);
    if (error == null || error.code() == ErrorCode.NONE || error.code().isRetriable()) {
      return false;
    }
    end(call);
    call.failed(error);
    return true;
  }

  private void send(CoordinatorCall call, BrokerLink link) {
    short version;
    try {
      version = link.chooseVersion(call.apiKey, call.lowestVersion(), call.highestVersion());
    } catch (KafkaException e) {
      refused(call, e);
      return;
    }
    inFlight = true;
    call.attempts++;
    progress = new Progress(call.name, link.name(), call.attempts, progress.lastError());
    link.send(call.apiKey, version, true, call::write, this);
  }

  private void end(CoordinatorCall call) {
    calls.remove(call);
    failures = 0;
    progress = NOTHING;
  }

  @Override
  public void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease) {
    CoordinatorCall call = calls.getFirst();
    ErrorCode code = call.read(in, version); // may throw, and then there will be a failure
    inFlight = false;
    if (code == ErrorCode.NONE) {
      end(call);
      call.done();
    } else {
      refused(call, new KafkaException(code,
          call.name + " for " + what + ": broker " + coordinator.name() + " answered " + code));
    }
    pump();
  }

  private void refused(CoordinatorCall call, KafkaException error) {
    if (!error.code().isRetriable()) {
      end(call);
      call.failed(error);
      return;
    }
    if (error.code() == ErrorCode.NOT_COORDINATOR || error.code() == ErrorCode.COORDINATOR_NOT_AVAILABLE) {
      coordinator.lost(error);
    }
    retry(call, error);
  }

  private void retry(CoordinatorCall call, KafkaException error) {
    events.retried(what, error);
    progress = new Progress(call.name, coordinator.name(), call.attempts, error);
    failures++;
    retryAtNanos = loop.nowNanos() + BACKOFF.nanos(failures);
    call.paused();
  }

  @Override
  public void onFailure(KafkaException cause) {
    CoordinatorCall call = calls.peekFirst();
    if (closed || !inFlight || call == null) {
      return; // nobody waits, or its answer was taken and what followed from that failed
    }
    inFlight = false;
    call.uncertain = true;
    retry(call, cause);
    loop.schedule(timer, retryAtNanos);
  }

  /** Where the call that is being made stands; any thread. */
  String describe() {
    Progress now = progress;
    return "stage " + now.call() + ", coordinator " + now.broker() + ", attempts " + now.attempts() + ", last error: "
        + (now.lastError() == null ? "none" : now.lastError().getMessage());
  }

  /** The error that the call being made met last; any thread. */
  @Nullable
  Throwable lastError() {
    return progress.lastError();
  }

  /** Closes the connection; calls that are not answered are dropped, and somebody may wait to hear of that. */
  void close() {
    closed = true;
    loop.cancel(timer);
    coordinator.close();
    for (CoordinatorCall call = calls.pollFirst(); call != null; call = calls.pollFirst()) {
      call.dropped();
    }
  }
}
