package dev.decant.fix;

import dev.decant.fix.session.UserFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Closes an engine once, for its user or at the end of the process (SIGTERM, for example). The first caller does the
 * work; others get the same report. Any thread.
 */
final class EngineClosing {
  private final CompletableFuture<ClosingReport> done = new CompletableFuture<>();
  private final Map<SessionRunner, CompletableFuture<String>> logouts = new LinkedHashMap<>();
  /** Filled by the owners of the loops, read after their end. */
  private final List<ClosingReport.Session> sessions = Collections.synchronizedList(new ArrayList<>());
  /** The registered shutdown hook; null if there is none. Guarded by the monitor. */
  private @Nullable Thread hook;
  /** True when a thread closes the engine. Guarded by the monitor. */
  private boolean isBegun;

  /** Returns true for the first caller. */
  synchronized boolean begin() {
    boolean isFirst = !isBegun;
    isBegun = true;
    return isFirst;
  }

  /** Registers a hook that closes the engine when the process is asked to end. */
  synchronized void onShutdown(Function<Duration, ClosingReport> close, Duration deadline,
      Consumer<ClosingReport> report) {
    Thread closer = Thread.ofPlatform().name("fix-shutdown").unstarted(() -> {
      ClosingReport left = close.apply(deadline);
      try {
        report.accept(left);
      } catch (Throwable e) {
        UserFailure.survive("the user of a closing report failed", e);
      }
    });
    hook = closer;
    Runtime.getRuntime().addShutdownHook(closer);
  }

  /** Removes the hook, because the user closes the engine. */
  synchronized void forgetHook() {
    Thread closer = hook;
    hook = null;
    if (closer == null || closer.equals(Thread.currentThread())) {
      return;
    }
    try {
      Runtime.getRuntime().removeShutdownHook(closer);
    } catch (IllegalStateException e) {
      // The process is ending: the hook runs, and waits for this call.
    }
  }

  void logout(SessionRunner session) {
    logouts.put(session, session.logout(""));
  }

  /** Closes a session and adds it to the report. Owner of its loop only. */
  void close(SessionRunner session) {
    CompletableFuture<String> logout = logouts.get(session);
    boolean isLoggedOut = false;
    String end = "the counterparty has not answered the Logout";
    if (logout != null && logout.isDone() && !logout.isCompletedExceptionally()) {
      isLoggedOut = true;
      end = logout.getNow("");
    }
    ClosingReport.Session left = session.close(isLoggedOut, end);
    sessions.add(left);
    if (left.firstUnsent() != 0 || !isLoggedOut) {
      session.notice("closed: " + left);
    }
  }

  ClosingReport end() {
    ClosingReport report = new ClosingReport(sessions);
    done.complete(report);
    return report;
  }

  /** Waits for the closing thread and returns its report. */
  ClosingReport await() {
    return done.join();
  }
}
