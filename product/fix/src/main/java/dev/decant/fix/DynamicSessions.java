package dev.decant.fix;

import dev.decant.fix.message.MessageView;
import dev.decant.fix.session.UserFailure;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import dev.decant.time.Timeouts;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sessions that an acceptor creates when their counterparties log on: by a template, the {@link Authenticator} or a
 * {@link SessionLookup}. Their number is limited. A session that has been logged out for long is forgotten: its store
 * is closed, and the next Logon creates it again. A session whose first logon fails is forgotten at once.
 *
 * <p>Owner of the acceptor's loop only.
 */
final class DynamicSessions {
  /** Opens a session of the acceptor. */
  @FunctionalInterface
  interface Opener {
    SessionRunner open(SessionSettings settings) throws IOException;
  }

  private final EngineSessions sessions;
  private final EngineLoop home;
  private final Opener opener;
  private final EventLoop loop;
  private final Authenticator authenticator;
  private final List<SessionTemplate> templates;
  private final int most;
  private final long idleNanos;
  private final Timer sweep = new Timer(this::forgetIdle);
  /** In the order of their creation. */
  private final Map<SessionId, SessionRunner> made = new LinkedHashMap<>();

  DynamicSessions(EngineSessions sessions, EngineLoop home, AcceptorSettings settings, Opener opener) {
    this.sessions = sessions;
    this.home = home;
    this.opener = opener;
    this.loop = home.loop();
    this.authenticator = settings.authenticator;
    this.templates = List.copyOf(settings.templates);
    this.most = settings.maxDynamicSessions;
    this.idleNanos = Timeouts.nanos(settings.forgetAfter);
  }

  /**
   * Returns the settings for an identity that no session has; null if neither a template nor the authenticator knows
   * it.
   */
  @Nullable
  SessionSettings wanted(SessionId id, MessageView logon, Peer peer, Admission admission)
      throws UnknownLogonException {
    for (SessionTemplate template : templates) {
      if (template.matches(id)) {
        requireAdmitted(id, logon, peer, admission);
        return settings(template, id);
      }
    }
    return newSession(id, logon, peer);
  }

  private static SessionSettings settings(SessionTemplate template, SessionId id) throws UnknownLogonException {
    try {
      return template.settings().apply(id);
    } catch (Throwable e) {
      UserFailure.survive("the template of " + template.pattern() + " failed over a Logon of " + id, e);
      throw new UnknownLogonException(true, ForeignText.word(id.toString()) + " cannot be made: its template failed");
    }
  }

  private @Nullable SessionSettings newSession(SessionId id, MessageView logon, Peer peer) {
    try {
      return authenticator.newSession(id, logon, peer);
    } catch (Throwable e) {
      UserFailure.survive("the authenticator failed over a Logon of " + id + " from " + peer.address(), e);
      return null;
    }
  }

  /**
   * Asks the authenticator before a session is created. A stranger that guesses CompIDs must not leave a store for
   * each.
   */
  void requireAdmitted(SessionId id, MessageView logon, Peer peer, Admission admission)
      throws UnknownLogonException {
    if (admission.isFor(id)) {
      return;
    }
    String refusal;
    try {
      refusal = authenticator.refuse(id, logon, peer);
    } catch (Throwable e) {
      UserFailure.survive("the authenticator failed over a Logon of " + id + " from " + peer.address(), e);
      refusal = "the logon cannot be checked now";
    }
    if (refusal != null) {
      throw new UnknownLogonException(id, refusal);
    }
    admission.give(id);
  }

  /**
   * Creates a session. Throws IOException if its store cannot be opened, or if the limit is reached and all are
   * connected.
   */
  SessionRunner open(SessionSettings settings) throws IOException {
    if (made.size() >= most && !forgetLongestIdle()) {
      throw new IOException("all " + most + " sessions that are made at a logon are in use; see maxDynamicSessions");
    }
    SessionRunner opened = opener.open(settings);
    made.put(opened.id(), opened);
    if (!sweep.isScheduled()) {
      loop.schedule(sweep, loop.nowNanos() + idleNanos);
    }
    return opened;
  }

  /** Forgets a session whose logon has failed, if it was never logged on. Any thread. */
  void logonFailed(SessionRunner session) {
    loop.execute(() -> {
      if (session.equals(made.get(session.id()))) {
        forget(session);
      }
    });
  }

  private boolean forgetLongestIdle() {
    SessionRunner longest = null;
    for (SessionRunner session : made.values()) {
      if (!session.isConnected() && session.hasBegun()
          && (longest == null || session.idleSinceNanos() - longest.idleSinceNanos() < 0)) {
        longest = session;
      }
    }
    if (longest == null) {
      return false;
    }
    made.remove(longest.id()); // Its own loop closes it a little later.
    forget(longest);
    return true;
  }

  private void forgetIdle() {
    long now = loop.nowNanos();
    long next = Long.MAX_VALUE;
    for (SessionRunner session : List.copyOf(made.values())) {
      long left = idleNanos - (now - session.idleSinceNanos());
      if (session.isConnected()) {
        next = Math.min(next, idleNanos);
      } else if (left <= 0) {
        forget(session);
      } else {
        next = Math.min(next, left);
      }
    }
    if (!made.isEmpty()) {
      loop.schedule(sweep, now + Math.max(Math.min(next, idleNanos), 1_000_000));
    }
  }

  /** Closes a session on its own loop, unless it has a connection by then. */
  private void forget(SessionRunner session) {
    Runnable onItsLoop = () -> {
      if (session.forget()) {
        sessions.forget(session);
        loop.execute(() -> made.remove(session.id(), session));
      } else {
        loop.execute(() -> made.putIfAbsent(session.id(), session));
      }
    };
    if (session.home().equals(home)) {
      onItsLoop.run(); // At once: the Logon being handled must not find the session.
    } else {
      session.home().loop().execute(onItsLoop);
    }
  }

  /** Returns how many sessions there are. */
  int size() {
    return made.size();
  }

  /** Stops forgetting sessions, because the acceptor closes. They stay until the engine is closed. */
  void close() {
    loop.cancel(sweep);
  }
}
