package dev.decant.kafka.security;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The token of a mechanism, for all its connections. A connection that finds it in the last fifth of its life begins a
 * refresh on another thread, and uses it as it is; one that finds none, or one that has expired, fetches it. Any
 * thread.
 */
final class TokenCache {
  /** After which part of its life a token is fetched anew; Kafka's {@code sasl.login.refresh.window.factor}. */
  private static final double REFRESH_AT = 0.8;
  /** A token that ends sooner may not outlive the exchange. */
  private static final Duration LEAST_LEFT = Duration.ofSeconds(5);

  private final TokenProvider provider;
  private final InstantSource clock;
  private final ReentrantLock fetching = new ReentrantLock();

  private volatile @Nullable OAuthToken token;
  /** Attempts that have ended, and how the last one failed; written under the lock. */
  private final AtomicInteger attempts = new AtomicInteger();
  private @Nullable Exception failure;

  TokenCache(TokenProvider provider, InstantSource clock) {
    this.provider = Objects.requireNonNull(provider, "tokens");
    this.clock = clock;
  }

  /** A token that is good for a while; fetches one if there is none. */
  OAuthToken current() throws IOException, InterruptedException {
    OAuthToken known = token;
    Instant now = clock.instant();
    if (known == null || !isGood(known, now)) {
      return fetch(known);
    }
    if (provider.hasChanged()) {
      return changed(known);
    }
    if (isDue(known, now) && !fetching.isLocked()) {
      Thread.ofVirtual().name("decant-token").start(() -> refresh(known));
    }
    return known;
  }

  /** One that cannot be read yet, as while it is written, leaves the one before in use. */
  private OAuthToken changed(OAuthToken known) throws InterruptedException {
    try {
      return fetch(known);
    } catch (IOException | AuthenticationException e) {
      return known;
    }
  }

  private static boolean isGood(OAuthToken token, Instant now) {
    return now.plus(LEAST_LEFT).isBefore(token.expiresAt());
  }

  private static boolean isDue(OAuthToken token, Instant now) {
    long life = Duration.between(token.issuedAt(), token.expiresAt()).toMillis();
    return !now.isBefore(token.issuedAt().plusMillis((long) (life * REFRESH_AT)));
  }

  /** One fetches for all; the others wait, and take what it has got, or its failure. */
  private OAuthToken fetch(@Nullable OAuthToken seen) throws IOException, InterruptedException {
    int before = attempts.get();
    fetching.lockInterruptibly();
    try {
      OAuthToken known = token;
      if (known != null && known != seen && isGood(known, clock.instant())) {
        return known;
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
      if (!isGood(fresh, clock.instant())) {
        throw new IOException("the token provider gave a " + fresh + ", which is too soon or past");
      }
      token = fresh;
      failure = null;
      attempts.incrementAndGet();
      return fresh;
    } catch (IOException | AuthenticationException e) {
      failure = e;
      attempts.incrementAndGet();
      throw e;
    }
  }

  /** A failure of another thread's, whose stack trace says nothing of this one. */
  private static void rethrow(@Nullable Exception failure) throws IOException {
    if (failure instanceof AuthenticationException refused) {
      throw new AuthenticationException(refused);
    }
    if (failure != null) {
      throw new IOException(failure.getMessage(), failure);
    }
  }

  private void refresh(OAuthToken seen) {
    try {
      fetch(seen);
    } catch (IOException | RuntimeException e) {
      // the token is good for a while; the connection that needs another one meets the error
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A broker does not take it. */
  void forget() {
    token = null;
  }
}
