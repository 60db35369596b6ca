package dev.decant.kafka.security;

import java.io.IOException;
import javax.security.auth.Subject;

/**
 * Gives the Subject as which {@link JavaSasl} authenticates. {@link JaasLogin} logs in by JAAS; an application with a
 * login of its own returns its Subject. Thread-safe: all connections of a client use it.
 */
@FunctionalInterface
public interface SubjectProvider {
  /**
   * Returns a Subject with credentials that are valid now. Called for each connection, on a thread that may block.
   *
   * @return the Subject
   * @throws AuthenticationException if the login fails, and would fail again
   * @throws IOException if the login is not possible now; the next connection tries again
   * @throws InterruptedException if the connection was abandoned meanwhile
   */
  Subject subject() throws IOException, InterruptedException;

  /**
   * Notes that an exchange with this Subject has failed. Any thread. Does nothing by default.
   *
   * @param subject as {@link #subject} returned it
   */
  default void refused(Subject subject) {}
}
