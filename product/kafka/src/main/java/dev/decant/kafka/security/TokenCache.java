package dev.decant.kafka.security;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The token of a mechanism, shared by all its connections. If its refresh is due, a connection starts that on another
 * thread, and uses the present token. If there is none, or it has expired, the connection fetches one itself. Any
 * thread.
 */
final class TokenCache {
  /** A token that ends sooner may not outlive the exchange. */
  private static final Duration LEAST_LEFT = Duration.ofSeconds(5);

  private final TokenProvider provider;
  private final LoginRefresh rule;
  private final InstantSource clock;
  private final ReentrantLock fetching = new ReentrantLock();

  private volatile @Nullable Held held;
  /** The number of attempts that have ended, and the failure of the last one; written under the lock. */
  private final AtomicInteger attempts = new AtomicInteger();
  private @Nullable Exception failure;

  /** A token, and the time to fetch the next one. */
  private record Held(OAuthToken token, Instant refreshAt) {}

  TokenCache(TokenProvider provider, LoginRefresh rule, InstantSource clock) {
    this.provider = Objects.requireNonNull(provider, "tokens");
    this.rule = Objects.requireNonNull(rule, "refresh");
    this.clock = clock;
  }

  /** Returns a token that is valid for a while; fetches one if there is none. */
  OAuthToken current() throws IOException, InterruptedException {
    Held known = held;
    Instant now = clock.instant();
    if (known == null || !isGood(known.token, now)) {
      return fetch(known);
    }
    if (provider.hasChanged()) {
      return changed(known);
    }
    if (!now.isBefore(known.refreshAt) && !fetching.isLocked()) {
      Thread.ofVirtual().name("decant-token").start(() -> refresh(known));
    }
    return known.token;
  }

  /**
   * Fetches a changed token. If it cannot be read yet, for example while it is written, the former one stays in use.
   */
  private OAuthToken changed(Held known) throws InterruptedException {
    try {
      return fetch(known);
    } catch (IOException | AuthenticationException e) {
      return known.token;
    }
  }

  private static boolean isGood(OAuthToken token, Instant now) {
    return now.plus(LEAST_LEFT).isBefore(token.expiresAt());
  }

  /** Fetches once for all waiting threads: the others take the result of the first, or its failure. */
  @SuppressWarnings("ReferenceEquality") // the identity of the token counts
  private OAuthToken fetch(@Nullable Held seen) throws IOException, InterruptedException {
    int before = attempts.get();
    fetching.lockInterruptibly();
    try {
      Held known = held;
      if (known != null && known != seen && isGood(known.token, clock.instant())) {
        return known.token;
      }
      if (attempts.get() != before) {
        rethrow(failure);
      }
      return fetchNow();
    } finally {
      fetching.unlock();
    }
  }

  private OAuthToken fetchNow() throws IOException, InterruptedException {
    try {
      OAuthToken fresh = provider.fetch();
      Instant now = clock.instant();
      if (!isGood(fresh, now)) {
        throw new IOException("the token provider gave a " + fresh + ", which is too soon or past");
      }
      held = new Held(fresh,
          rule.at(now, fresh.issuedAt(), fresh.expiresAt(), ThreadLocalRandom.current().nextDouble()));
      failure = null;
      attempts.incrementAndGet();
      return fresh;
    } catch (IOException | AuthenticationException e) {
      failure = e;
      attempts.incrementAndGet();
      throw e;
    }
  }

  /** Throws a copy of another thread's failure: its stack trace would say nothing of this thread. */
  private static void rethrow(@Nullable Exception failure) throws IOException {
    if (failure instanceof AuthenticationException refused) {
      throw new AuthenticationException(refused);
    }
    if (failure != null) {
      throw new IOException(failure.getMessage(), failure);
    }
  }

  private void refresh(Held seen) {
    try {
      fetch(seen);
    } catch (IOException | RuntimeException e) {
      // The token is valid for a while; the connection that needs another one gets the error.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Drops the token, which a broker has refused. */
  void forget() {
    held = null;
  }
}
