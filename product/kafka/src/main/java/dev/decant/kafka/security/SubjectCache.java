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
 * The Subject of a mechanism, for all its connections. A connection that finds its credentials past their renew window
 * begins a login on another thread, and uses them as they are; one that finds none, or ones that have expired, logs in.
 * Any thread.
 */
final class SubjectCache implements SubjectProvider {
  /** A ticket that ends sooner may not outlive the exchange. */
  private static final Duration LEAST_LEFT = Duration.ofSeconds(5);

  /** Makes Subjects. */
  interface Source {
    /** A Subject with credentials; may block. */
    Subject login() throws IOException, InterruptedException;
  }

  /** Says when credentials are replaced. */
  interface Renewal {
    /** When to log in again, of a login that is over now. */
    Instant at(Instant now, JaasLogin.Lifetime life);
  }

  /**
   * How a Subject is made and replaced.
   *
   * @param name of the login in errors
   * @param source logs in
   * @param lifetime of a Subject's credentials; null if they do not expire
   * @param renewal when to log in again
   * @param threads of logins ahead of the end
   * @param advice what to do about credentials that are past; ends an error
   */
  record Rules(String name, Source source, Function<Subject, JaasLogin.@Nullable Lifetime> lifetime, Renewal renewal,
      ThreadFactory threads, String advice) {}

  private final Rules rules;
  /** From one attempt to the next one, while the credentials are good. */
  private final Duration pause;
  private final InstantSource clock;
  private final ReentrantLock loggingIn = new ReentrantLock();

  private volatile @Nullable Ticket ticket;
  /** One that a broker did not take; a broker with a new key refuses the tickets for its old one. */
  private volatile @Nullable Ticket refused;
  /** When the last attempt ended, how many there were, and how the last one failed; written under the lock. */
  private volatile Instant attemptedAt = Instant.MIN;
  private volatile int attempts;
  private volatile @Nullable Exception failure;

  SubjectCache(Rules rules, Duration pause, InstantSource clock) {
    this.rules = rules;
    this.pause = pause;
    this.clock = clock;
  }

  /** What a login gave. Compared by identity: a Subject's equality asks all its credentials. */
  static final class Ticket {
    private final Subject subject;
    private final Instant renewAt;
    private final Instant endsAt;

    Ticket(Subject subject, Instant renewAt, Instant endsAt) {
      this.subject = subject;
      this.renewAt = renewAt;
      this.endsAt = endsAt;
    }

    /** With the ticket among its private credentials. */
    Subject subject() {
      return subject;
    }

    /** When to log in again. */
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

  /** A login that is good for a while; logs in if there is none. */
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

  /** A broker did not take its credentials, or did not say so before the connection ended. */
  @Override
  @SuppressWarnings("ReferenceEquality") // the very subject that was handed out
  public void refused(Subject subject) {
    Ticket known = ticket;
    if (known != null && known.subject == subject) {
      refused = known;
    }
  }

  private static boolean isGood(Ticket ticket, Instant now) {
    return now.isBefore(ticket.endsAt.minus(LEAST_LEFT));
  }

  /** What is due after a login that succeeded needs no pause: the rule has its own. */
  private boolean mayLogin(boolean isRefused, Instant now) {
    return (!isRefused && failure == null) || !now.isBefore(attemptedAt.plus(pause));
  }

  /** While no login is possible, a ticket that another broker may take is better than none. */
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
      // the ticket is good for a while; the connection that needs another one meets the error
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** One logs in for all; the others wait, and take what it has got, or its failure. */
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

  /** An attempt that was given up has no outcome: one that waits makes the next. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
  private void ended(@Nullable Exception outcome) {
    failure = outcome;
    attemptedAt = clock.instant();
    attempts++;
  }

  /** A failure of another thread's, whose stack trace says nothing of this one. */
  private static void rethrow(@Nullable Exception failure) throws IOException {
    if (failure instanceof AuthenticationException told) {
      throw new AuthenticationException(told);
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
