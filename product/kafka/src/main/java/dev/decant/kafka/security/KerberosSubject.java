package dev.decant.kafka.security;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.KerberosTicket;
import org.jspecify.annotations.Nullable;

/**
 * The Subject of a mechanism, for all its connections. A connection that finds the ticket past its renew window begins
 * a login on another thread, and uses the ticket as it is; one that finds none, or one that has expired, logs in. Any
 * thread.
 */
final class KerberosSubject {
  /** A ticket that ends sooner may not outlive the exchange. */
  private static final Duration LEAST_LEFT = Duration.ofSeconds(5);

  private final KerberosLogin login;
  private final InstantSource clock;
  private final ReentrantLock loggingIn = new ReentrantLock();

  private volatile @Nullable Ticket ticket;
  /** One that a broker did not take; a broker with a new key refuses the tickets for its old one. */
  private volatile @Nullable Ticket refused;
  /** When the last attempt ended, and how if it failed; written under the lock. */
  private volatile Instant attemptedAt = Instant.MIN;
  private volatile int attempts;
  private @Nullable Exception failure;

  KerberosSubject(KerberosLogin login, InstantSource clock) {
    this.login = login;
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
    if (login.source() instanceof KerberosLogin.OfApplication application) {
      return new Ticket(application.login(), Instant.MAX, Instant.MAX);
    }
    Ticket known = ticket;
    Instant now = clock.instant();
    if (known == null || !isGood(known, now)) {
      return loginAfter(known);
    }
    boolean isRefused = known == refused;
    if ((isRefused || !now.isBefore(known.renewAt)) && !loggingIn.isLocked() && mayLogin(now)) {
      if (isRefused) {
        return replaced(known);
      }
      Thread.ofVirtual().name("decant-kerberos").start(() -> renew(known));
    }
    return known;
  }

  /** A broker did not take it, or did not say so before the connection ended. */
  void refused(Ticket taken) {
    refused = taken;
  }

  private static boolean isGood(Ticket ticket, Instant now) {
    return now.isBefore(ticket.endsAt.minus(LEAST_LEFT));
  }

  private boolean mayLogin(Instant now) {
    return attemptedAt.equals(Instant.MIN) || !now.isBefore(attemptedAt.plus(login.minTimeBeforeRelogin()));
  }

  /** While the KDC is away, a ticket that another broker may take is better than none. */
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

  @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
  private Ticket loginNow() throws IOException, InterruptedException {
    try {
      Ticket fresh = ticket(login.source().login());
      if (!isGood(fresh, clock.instant())) {
        throw new AuthenticationException(login + " failed: its ticket ends at " + fresh.endsAt + ", which is too soon"
            + " or past; run kinit, or give the client a keytab");
      }
      ticket = fresh;
      failure = null;
      return fresh;
    } catch (IOException | AuthenticationException e) {
      failure = e;
      throw e;
    } finally {
      attemptedAt = clock.instant();
      attempts++;
    }
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
    for (KerberosTicket found : subject.getPrivateCredentials(KerberosTicket.class)) {
      if (found.getServer().getName().startsWith("krbtgt/") && found.getEndTime() != null) {
        Instant end = found.getEndTime().toInstant();
        Instant begin = found.getStartTime() == null
            ? found.getAuthTime().toInstant()
            : found.getStartTime().toInstant();
        double part = login.renewWindowFactor() + login.renewJitter() * ThreadLocalRandom.current().nextDouble();
        return new Ticket(subject, begin.plusMillis((long) (Duration.between(begin, end).toMillis() * part)), end);
      }
    }
    return new Ticket(subject, Instant.MAX, Instant.MAX); // of a login module with credentials of its own
  }
}
