package dev.decant.fix;

import dev.decant.fix.session.HandWrittenMessage;
import dev.decant.fix.session.ResetExchange;
import dev.decant.fix.session.SessionOperator;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Actions of operators whose outcome depends on a later event: a logon, a response, the end of a replay. Each outcome
 * is completed once. Owner of the loop only, unless a comment says "any thread".
 */
final class SessionActions {
  /** A logon that an operator has requested. */
  private static final class WantedLogon {
    private final CompletableFuture<String> outcome;
    /** True if the present connection has to end first, because a logout is in progress. */
    private boolean waitsForEnd;

    WantedLogon(CompletableFuture<String> outcome, boolean waitsForEnd) {
      this.outcome = outcome;
      this.waitsForEnd = waitsForEnd;
    }
  }

  /** A replay that an operator has requested. It is complete when the number {@code last} is in the output. */
  private record Replay(long last, CompletableFuture<Long> outcome) {}

  private final SessionRunner runner;
  private final List<WantedLogon> logons = new ArrayList<>();
  private final List<Replay> replays = new ArrayList<>();
  /** Outcomes of resets that wait for a logout. */
  private final List<CompletableFuture<String>> resets = new ArrayList<>();
  /**
   * Outcomes that became known while a message was handled. They are completed after its number is published. Once, a
   * thread that one of them woke read the old number.
   */
  private final List<Runnable> outcomes = new ArrayList<>();
  /** Set by the owner, read by any thread. */
  private volatile boolean disabled;

  SessionActions(SessionRunner runner) {
    this.runner = runner;
  }

  /** Returns true if an operator has disabled the session. Any thread. */
  boolean isDisabled() {
    return disabled;
  }

  private <T> CompletableFuture<T> execute(OperatorActions.Action<T> action) {
    return runner.parts().operatorActions().execute(runner.home().loop(), action);
  }

  /** Any thread. */
  CompletableFuture<String> logon() {
    return execute(this::logon);
  }

  private void logon(CompletableFuture<String> outcome) {
    if (disabled) {
      outcome.completeExceptionally(new IllegalStateException(runner.id() + " is disabled; enable it first"));
      return;
    }
    boolean isConnected = runner.isConnected();
    boolean isLoggedOn = runner.isLoggedOn();
    if (!runner.beginLogon()) {
      outcome.complete(isLoggedOn ? "logged on" : "waits for the counterparty, which connects");
    } else if (isLoggedOn) {
      outcome.complete("logged on");
    } else {
      logons.add(new WantedLogon(outcome, isConnected));
    }
  }

  /** Any thread. */
  CompletableFuture<String> disable(String text) {
    return execute(outcome -> {
      disabled = true;
      runner.notice("disabled by an operator");
      runner.logout(text, outcome);
    });
  }

  /** Any thread. */
  CompletableFuture<String> enable() {
    return execute(outcome -> {
      if (disabled) {
        disabled = false;
        runner.notice("enabled by an operator");
      }
      logon(outcome);
    });
  }

  /** Any thread. */
  CompletableFuture<String> reset() {
    return execute(outcome -> {
      runner.touchTime();
      resets.add(outcome);
      if (runner.protocol().isConnected()) {
        runner.protocol().resets().logoutAndReset();
      } else {
        boolean unused = runner.protocol().resets().resetNow(true); // The callback numbersReset handles the result.
      }
      runner.pump();
    });
  }

  /** Completes resets: both numbers are 1, or the store has refused that. */
  void numbersReset(boolean isDone) {
    if (resets.isEmpty()) {
      return;
    }
    runner.publishNumber(); // The outcome wakes threads that read the number.
    List<CompletableFuture<String>> ended = List.copyOf(resets);
    resets.clear();
    for (CompletableFuture<String> outcome : ended) {
      if (isDone) {
        outcome.complete(resetOutcome());
      } else {
        outcome.completeExceptionally(runner.storeFailure());
      }
    }
  }

  private String resetOutcome() {
    String done = "sequence numbers begin with 1 at this end, and the counterparty must reset its own, too: ";
    if (!ResetExchange.hasResetFlag(runner.id())) {
      return done + "FIX.4.0 has no ResetSeqNumFlag, so agree on it";
    }
    return runner.isInitiator()
        ? done + "the next Logon asks for it by ResetSeqNumFlag(141)=Y"
        : done + "if its next Logon has another MsgSeqNum than 1, the response asks for it by ResetSeqNumFlag(141)=Y";
  }

  /** Any thread. */
  CompletableFuture<String> resetWithoutLogout() {
    return execute(outcome -> {
      if (!runner.isLoggedOn()) {
        outcome.completeExceptionally(notLoggedOn());
        return;
      }
      runner.touchTime();
      runner.protocol().resets().resetWithoutLogout(failure -> outcomes.add(() -> {
        if (failure == null) {
          outcome.complete("sequence numbers begin with 1 at both ends");
        } else {
          outcome.completeExceptionally(new IOException(failure));
        }
      }));
      runner.pump();
    });
  }

  /** Any thread. */
  CompletableFuture<Duration> testRequest() {
    return execute(outcome -> {
      // The round trip would otherwise count from the last round of an idle loop, an hour ago for example.
      runner.touchTime();
      boolean isSent = runner.protocol().operator().testRequest(nanos -> answered(outcome, nanos));
      if (!isSent) {
        outcome.completeExceptionally(notLoggedOn());
      }
      runner.pump();
    });
  }

  private void answered(CompletableFuture<Duration> outcome, long nanos) {
    outcomes.add(() -> {
      if (nanos == SessionOperator.NO_RESPONSE) {
        outcome.completeExceptionally(new IOException("the connection ended before a Heartbeat came"));
      } else {
        outcome.complete(Duration.ofNanos(nanos));
      }
    });
  }

  /** Any thread. */
  CompletableFuture<Long> resend(long from) {
    return execute(outcome -> {
      if (!runner.isLoggedOn()) {
        outcome.completeExceptionally(notLoggedOn());
        return;
      }
      runner.touchTime();
      long last = runner.protocol().operator().resend(from);
      if (last == 0) {
        outcome
            .completeExceptionally(new IllegalArgumentException("no message " + from + " was sent: the next number is "
                + runner.nextOutbound()));
      } else {
        replays.add(new Replay(last, outcome));
        runner.pump();
      }
    });
  }

  /** Any thread. */
  CompletableFuture<Long> send(HandWrittenMessage message) {
    return execute(outcome -> {
      long number = runner.sender().send(message.msgType(), message.body(), 0, message.body().limit());
      if (number > 0) {
        outcome.complete(number);
      } else {
        outcome.completeExceptionally(new IllegalStateException("not accepted: " + SendStatus.of(number)));
      }
      runner.pump();
    });
  }

  private IllegalStateException notLoggedOn() {
    return new IllegalStateException(runner.id() + " is not logged on");
  }

  /** Completes logons that wait. */
  void loggedOn() {
    List<WantedLogon> ended = List.copyOf(logons);
    logons.clear();
    ended.forEach(logon -> outcomes.add(() -> logon.outcome.complete("logged on")));
  }

  /**
   * Completes the outcomes that depend on a connection or an attempt to connect which has ended. The state is published
   * before.
   */
  void ended(String reason) {
    completeOutcomes();
    List<Replay> unfinished = List.copyOf(replays);
    replays.clear();
    unfinished.forEach(replay -> replay.outcome
        .completeExceptionally(new IOException("the connection ended before all was sent again: " + reason)));
    List<WantedLogon> failed = new ArrayList<>();
    for (WantedLogon logon : logons) {
      if (logon.waitsForEnd) {
        logon.waitsForEnd = false;
      } else {
        failed.add(logon);
      }
    }
    logons.removeAll(failed);
    failed.forEach(logon -> logon.outcome.completeExceptionally(new IOException("not logged on: " + reason)));
  }

  /** Fails logons that wait, because a logout was requested. */
  void logoutWanted() {
    List<WantedLogon> failed = List.copyOf(logons);
    logons.clear();
    failed.forEach(logon -> logon.outcome.completeExceptionally(new IOException("not logged on: logged out")));
  }

  private void completeOutcomes() {
    if (!outcomes.isEmpty()) {
      List<Runnable> known = List.copyOf(outcomes);
      outcomes.clear();
      known.forEach(Runnable::run);
    }
  }

  /** Completes replays whose last message is in the output. The state is published before. */
  void written() {
    completeOutcomes();
    if (!replays.isEmpty() && !runner.protocol().operator().isResending()) {
      List<Replay> done = List.copyOf(replays);
      replays.clear();
      done.forEach(replay -> replay.outcome.complete(replay.last));
    }
  }
}
