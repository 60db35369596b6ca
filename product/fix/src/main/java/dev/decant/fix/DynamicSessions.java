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
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Sessions that an acceptor makes when their counterparties log on: by a template, by the {@link Authenticator} or by a
 * {@link SessionLookup}. Their number is bounded. One that has been logged out for long is forgotten: its store is
 * closed, and the next Logon makes it anew. One whose first logon fails is forgotten at once.
 *
 * <p>Owner of the acceptor's loop only.
 */
final class DynamicSessions {
  /** A pattern of identities, and what makes settings for one that matches. */
  record Template(SessionId pattern, Function<SessionId, SessionSettings> settings) {
    private static final String ANY = "*";
    private static final Pattern VERSION = Pattern.compile("FIX\\.4\\.[0-4]|FIXT\\.1\\.1");

    boolean matches(SessionId id) {
      return matchesVersion(id.beginString()) && matches(pattern.senderCompId(), id.senderCompId())
          && matches(pattern.senderSubId(), id.senderSubId())
          && matches(pattern.senderLocationId(), id.senderLocationId())
          && matches(pattern.targetCompId(), id.targetCompId()) && matches(pattern.targetSubId(), id.targetSubId())
          && matches(pattern.targetLocationId(), id.targetLocationId());
    }

    /** A stranger's Logon may have anything there: settings for it could not be made. */
    private boolean matchesVersion(String beginString) {
      return pattern.beginString().equals(ANY)
          ? VERSION.matcher(beginString).matches()
          : pattern.beginString().equals(beginString);
    }

    private static boolean matches(String pattern, String text) {
      return pattern.equals(ANY) || pattern.equals(text);
    }
  }

  private final FixEngine engine;
  private final FixAcceptor acceptor;
  private final EventLoop loop;
  private final Authenticator authenticator;
  private final List<Template> templates;
  private final int most;
  private final long idleNanos;
  private final Timer sweep = new Timer(this::forgetIdle);
  /** In the order in which they were made. */
  private final Map<SessionId, SessionRunner> made = new LinkedHashMap<>();

  DynamicSessions(FixEngine engine, FixAcceptor acceptor, AcceptorBuilder settings) {
    this.engine = engine;
    this.acceptor = acceptor;
    this.loop = acceptor.home().loop();
    this.authenticator = settings.authenticator();
    this.templates = List.copyOf(settings.templates());
    this.most = settings.maxDynamicSessions();
    this.idleNanos = Timeouts.nanos(settings.forgetAfter());
  }

  /** What an identity that no session has is to become; null if nobody knows it. */
  @Nullable
  SessionSettings wanted(SessionId id, MessageView logon, Peer peer, Admission admission)
      throws UnknownLogonException {
    for (Template template : templates) {
      if (template.matches(id)) {
        requireAdmitted(id, logon, peer, admission);
        return settings(template, id);
      }
    }
    return newSession(id, logon, peer);
  }

  private static SessionSettings settings(Template template, SessionId id) throws UnknownLogonException {
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

  /** Asks before a session is made: a stranger that guesses CompIDs must not leave a store for each guess. */
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

  /** Makes a session; an IOException if its store cannot be opened, or if all that may be there are in use. */
  SessionRunner open(SessionSettings settings) throws IOException {
    if (made.size() >= most && !forgetLongestIdle()) {
      throw new IOException("all " + most + " sessions that are made at a logon are in use; see maxDynamicSessions");
    }
    SessionRunner opened = acceptor.open(settings);
    made.put(opened.id(), opened);
    if (!sweep.isScheduled()) {
      loop.schedule(sweep, loop.nowNanos() + idleNanos);
    }
    return opened;
  }

  /** A logon of a session has failed: a session that has never been logged on is forgotten. Any thread. */
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
    made.remove(longest.id()); // on its own loop it goes soon
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

  /** Closes a session on its own loop, unless it has a connection again by then. */
  private void forget(SessionRunner session) {
    Runnable onItsLoop = () -> {
      if (session.forget()) {
        engine.forget(session);
        loop.execute(() -> made.remove(session.id(), session));
      } else {
        loop.execute(() -> made.putIfAbsent(session.id(), session));
      }
    };
    if (session.home().equals(acceptor.home())) {
      onItsLoop.run(); // before the Logon that is being handled finds it
    } else {
      session.home().loop().execute(onItsLoop);
    }
  }

  /** How many there are. */
  int size() {
    return made.size();
  }

  /** The acceptor closes: its sessions stay until the engine is closed. */
  void close() {
    loop.cancel(sweep);
  }
}
