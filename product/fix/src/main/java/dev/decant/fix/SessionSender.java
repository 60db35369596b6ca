package dev.decant.fix;

import dev.decant.fix.session.OutboundMessages;
import dev.decant.fix.session.SessionProtocol;
import dev.decant.fix.settings.BackPressure;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.loop.EventLoop;
import dev.decant.time.Timeouts;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sends messages of threads: checks whether they are accepted, waits for room, and reports refusals. Any thread. */
final class SessionSender {
  private final EngineLoop home;
  private final EventLoop loop;
  private final EngineClock clock;
  private final SessionSettings settings;
  private final SessionProtocol protocol;
  private final OutboundMessages out;
  private final PendingOutput output;
  /** Ends the session with a reason. Owner of the loop only. */
  private final Consumer<String> abandon;
  private final SendSpace space;
  /** True from a refusal of the store until it accepts a message again: listeners hear of the first refusal only. */
  private final AtomicBoolean sendFails = new AtomicBoolean();

  SessionSender(EngineClock clock, EngineLoop home, SessionSettings settings, SessionProtocol protocol,
      PendingOutput output, Consumer<String> abandon) {
    this.clock = clock;
    this.home = home;
    this.loop = home.loop();
    this.settings = settings;
    this.protocol = protocol;
    this.out = protocol.out();
    this.output = output;
    this.abandon = abandon;
    this.space = new SendSpace(loop, out);
  }

  /** Returns OK if a message can be begun. Waits for room if the settings say so. */
  SendStatus admit(int bytes) {
    if (bytes < 0 || bytes > settings.maxMessageBytes()) {
      throw new IllegalArgumentException("a message of " + bytes + " bytes; maxMessageBytes is "
          + settings.maxMessageBytes());
    }
    if (!out.isTaken()) {
      return notTaken();
    }
    if (out.seemsToHaveRoom(bytes) || findRoom(bytes, deadline())) {
      return SendStatus.OK;
    }
    return refusal();
  }

  private SendStatus notTaken() {
    return out.isOutOfHours() ? SendStatus.CLOSED : SendStatus.LOGGED_OUT;
  }

  /**
   * Returns why there was no room. A session may end while a sender waits: then the status says that. A session that
   * ended because its output was full has no room either.
   */
  private SendStatus refusal() {
    return out.isTaken() || settings.backPressure() == BackPressure.DISCONNECT
        ? SendStatus.BACK_PRESSURE
        : notTaken();
  }

  private long deadline() {
    return System.nanoTime() + Timeouts.nanos(settings.sendTimeout());
  }

  /** Waits for room as the settings say. Returns false if there is still none. */
  private boolean findRoom(int bytes, long deadlineNanos) {
    if (loop.isOwner()) {
      output.pump(); // This thread drives the loop, so no other thread can make room.
      if (out.seemsToHaveRoom(bytes)) {
        return true;
      }
    } else if (settings.backPressure() == BackPressure.WAIT) {
      return space.await(bytes, deadlineNanos);
    }
    if (settings.backPressure() == BackPressure.DISCONNECT) {
      loop.execute(() -> abandon.accept("the counterparty reads too slowly"));
    }
    return false;
  }

  /**
   * Numbers and stores a message, and makes the loop write it. Returns its number, or a value for
   * {@link SendStatus#of}.
   */
  long send(int msgType, ByteBuffer memory, int from, int to) {
    long result = trySend(msgType, memory, from, to);
    if (result == OutboundMessages.NO_ROOM) {
      result = sendSlowPath(msgType, memory, from, to);
    }
    if (result > 0) {
      if (out.isOpen()) { // Without a connection, the loop has nothing to write.
        home.pendingSessions().offer(output);
      }
      if (sendFails.getPlain()) {
        sendFails.set(false);
      }
    } else if (result == OutboundMessages.STORE_REFUSES && sendFails.compareAndSet(false, true)) {
      loop.execute(protocol::reportSendFailure);
    }
    return result;
  }

  private long trySend(int msgType, ByteBuffer memory, int from, int to) {
    long now = home.nowNanos();
    return out.send(msgType, memory, from, to, now, clock.epochNanos(now));
  }

  /** Retries until the deadline, because other threads may take room as it becomes free. */
  private long sendSlowPath(int msgType, ByteBuffer memory, int from, int to) {
    long deadlineNanos = deadline();
    long result = OutboundMessages.NO_ROOM;
    while (result == OutboundMessages.NO_ROOM && findRoom(to - from, deadlineNanos)) {
      result = trySend(msgType, memory, from, to);
    }
    if (result != OutboundMessages.NO_ROOM) {
      return result;
    }
    return switch (refusal()) {
      case LOGGED_OUT -> OutboundMessages.SHUT;
      case CLOSED -> OutboundMessages.CLOSED;
      default -> result;
    };
  }

  /** Returns why the store refused a message of a thread last. */
  @Nullable
  IOException storeFailure() {
    return out.sendFailure();
  }

  /** Wakes senders that wait for room. Owner of the loop only. */
  void roomIsFree() {
    space.signal();
  }
}
