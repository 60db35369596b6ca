package dev.decant.runtime;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Passes each kind of finding to one logger, once. A logger is the application's code and may block, throw, or open a
 * client itself. So no lock is held while a logger runs. Instead one thread at a time owns a kind. A thread that finds
 * it owned leaves its logger behind and continues. The owner tries that logger if its own has not taken the finding.
 */
final class FindingLog {
  private final Map<String, Kind> kinds = new HashMap<>(); // guarded by this

  /** A kind of finding. Its fields are guarded by the log. */
  private static final class Kind {
    boolean owned;
    boolean logged;
    final Queue<System.Logger> waiting = new ArrayDeque<>();
  }

  void offer(Finding finding, System.Logger logger) {
    Kind kind = own(finding, logger);
    if (kind == null) {
      return;
    }
    System.Logger next = logger;
    while (next != null) {
      next = disown(kind, takes(next, finding));
    }
  }

  /** Makes this thread the owner of a kind; returns null if another thread owns it or it was logged. */
  private synchronized @Nullable Kind own(Finding finding, System.Logger logger) {
    Kind kind = kinds.computeIfAbsent(finding.id(), id -> new Kind());
    if (kind.logged) {
      return null;
    }
    if (kind.owned) {
      kind.waiting.add(logger);
      return null;
    }
    kind.owned = true;
    return kind;
  }

  /** Returns the next logger to try; after null this thread no longer owns the kind. */
  private synchronized System.@Nullable Logger disown(Kind kind, boolean logged) {
    kind.logged = logged;
    if (logged) {
      kind.waiting.clear();
    }
    System.Logger next = kind.waiting.poll();
    kind.owned = next != null;
    return next;
  }

  private static boolean takes(System.Logger logger, Finding finding) {
    try {
      if (!logger.isLoggable(finding.severity().level())) {
        return false;
      }
      logger.log(finding.severity().level(), finding.message());
      return true;
    } catch (Throwable e) { // any failure is the logger's: a client must not fail for it
      return false;
    }
  }
}
