package dev.decant.kafka.security;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import javax.security.auth.Subject;
import org.jspecify.annotations.Nullable;

/**
 * The Subject of a mechanism, shared by all its connections. If its credentials are past their renewal time, a
 * connection starts a login on another thread, and uses the present ones. If there are none, or they have expired, the
 * connection logs in itself. Any thread.
 */
final class SubjectCache implements SubjectProvider {
  /** A ticket that ends sooner may not outlive the exchange. */
  private static final Duration LEAST_LEFT = Duration.ofSeconds(5);

  /** Makes Subjects. */
  interface Source {
    /** Returns a Subject with credentials; may block. */
    Subject login() throws IOException, InterruptedException;
  }

  /** Decides when credentials are replaced. */
  interface Renewal {
    /** Returns the time of the next login, after one that has just ended. */
    Instant at(Instant now, JaasLogin.Lifetime life);
  }

  /**
   * The rules by which a Subject is made and replaced.
   *
   * @param name of the login in errors
   * @param source logs in
   * @param lifetime returns the lifetime of a Subject's credentials; null if they do not expire
   * @param renewal decides when to log in again
   * @param threads for logins before the end
   * @param advice the end of an error for expired credentials: what to do
   */
  record Rules(String name, Source source, Function<Subject, JaasLogin.@Nullable Lifetime> lifetime, Renewal renewal,
      ThreadFactory threads, String advice) {}

  private final Rules rules;
  /** The least time between two attempts while the credentials are valid. */
  private final Duration pause;
  private final InstantSource clock;
  private final ReentrantLock loggingIn = new ReentrantLock();

  private volatile @Nullable Ticket ticket;
  /** A ticket that a broker has refused: a broker with a new key refuses the tickets for its old one. */
  private volatile @Nullable Ticket refused;
  /** The end of the last attempt, the number of attempts, and the failure of the last one; written under the lock. */
  private volatile Instant attemptedAt = Instant.MIN;
  private volatile int attempts;
  private volatile @Nullable Exception failure;

  SubjectCache(Rules rules, Duration pause, InstantSource clock) {
    this.rules = rules;
    this.pause = pause;
    this.clock = clock;
  }

  /** The result of a login. Compared by identity: a Subject's equals compares all its credentials. */
  static final class Ticket {
    private final Subject subject;
    private final Instant renewAt;
    private final Instant endsAt;

    Ticket(Subject subject, Instant renewAt, Instant endsAt) {
      this.subject = subject;
      this.renewAt = renewAt;
      this.endsAt = endsAt;
    }

    /** Returns the Subject, with the ticket among its private credentials. */
    Subject subject() {
      return subject;
    }

    /** Returns the time to log in again. */
    Instant renewAt() {
      return renewAt;
    }

    Instant endsAt() {
      return endsAt;
    }

    @Override
    public String toString() {
      return "ticket until " + endsAt;
    }
  }

  /** Returns a login that is valid for a while; logs in if there is none. */
  Ticket current() throws IOException, InterruptedException {
    Ticket known = ticket;
    Instant now = clock.instant();
    if (known == null || !isGood(known, now)) {
      return loginAfter(known);
    }
    boolean isRefused = known == refused;
    if ((isRefused || !now.isBefore(known.renewAt)) && !loggingIn.isLocked() && mayLogin(isRefused, now)) {
      if (isRefused) {
        return replaced(known);
      }
      rules.threads.newThread(() -> renew(known)).start();
    }
    return known;
  }

  @Override
  public Subject subject() throws IOException, InterruptedException {
    return current().subject;
  }

  /** Notes that a broker has refused the credentials, or ended the connection without a response. */
  @Override
  @SuppressWarnings("ReferenceEquality") // the identity of the Subject counts
  public void refused(Subject subject) {
    Ticket known = ticket;
    if (known != null && known.subject == subject) {
      refused = known;
    }
  }

  private static boolean isGood(Ticket ticket, Instant now) {
    return now.isBefore(ticket.endsAt.minus(LEAST_LEFT));
  }

  /**
   * Returns true if a login may begin now. A refresh after a successful login needs no pause: its rule has a shortest
   * period. The pause of ten seconds is for failed attempts and refused credentials.
   */
  private boolean mayLogin(boolean isRefused, Instant now) {
    return (!isRefused && failure == null) || !now.isBefore(attemptedAt.plus(pause));
  }

  /**
   * Replaces a refused ticket. While no login is possible, the old ticket is kept: another broker may still accept it.
   */
  private Ticket replaced(Ticket known) throws InterruptedException {
    try {
      return loginAfter(known);
    } catch (IOException | AuthenticationException e) {
      return known;
    }
  }

  private void renew(Ticket known) {
    try {
      loginAfter(known);
    } catch (IOException | RuntimeException e) {
      // The ticket is valid for a while; the connection that needs another one gets the error.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Logs in once for all waiting threads: the others take the result of the first, or its failure. */
  private Ticket loginAfter(@Nullable Ticket seen) throws IOException, InterruptedException {
    int before = attempts;
    loggingIn.lockInterruptibly();
    try {
      Ticket known = ticket;
      if (known != null && known != seen && isGood(known, clock.instant())) {
        return known;
      }
      if (attempts != before) {
        rethrow(failure);
      }
      return loginNow();
    } finally {
      loggingIn.unlock();
    }
  }

  private Ticket loginNow() throws IOException, InterruptedException {
    try {
      Ticket fresh = ticket(rules.source.login());
      if (!isGood(fresh, clock.instant())) {
        throw new AuthenticationException(rules.name + " failed: its credentials end at " + fresh.endsAt
            + ", which is too soon or past; " + rules.advice);
      }
      ticket = fresh;
      ended(null);
      return fresh;
    } catch (IOException | AuthenticationException e) {
      ended(e);
      throw e;
    }
  }

  /**
   * Notes the outcome of an attempt. An interrupted attempt has no outcome, and the next waiting thread makes another
   * one. It once passed on the failure of an earlier login, which an application takes for a refusal.
   */
  @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
  private void ended(@Nullable Exception outcome) {
    failure = outcome;
    attemptedAt = clock.instant();
    attempts++;
  }

  /** Throws a copy of another thread's failure: its stack trace would say nothing of this thread. */
  private static void rethrow(@Nullable Exception failure) throws IOException {
    if (failure instanceof AuthenticationException refusal) {
      throw new AuthenticationException(refusal);
    }
    if (failure != null) {
      throw new IOException(failure.getMessage(), failure);
    }
  }

  private Ticket ticket(Subject subject) {
    JaasLogin.Lifetime life = rules.lifetime.apply(subject);
    return life == null
        ? new Ticket(subject, Instant.MAX, Instant.MAX)
        : new Ticket(subject, rules.renewal.at(clock.instant(), life), life.ends());
  }
}
