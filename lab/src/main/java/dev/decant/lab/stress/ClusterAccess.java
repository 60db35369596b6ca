package dev.decant.lab.stress;

import dev.decant.lab.driver.WorkSpec;
import dev.decant.testkit.TestCluster;

/**
 * A cluster to measure on, and the ways that lead to it.
 *
 * @param cluster for its administration
 * @param plain how clients reach it
 * @param tls how those reach it that are to encrypt their connections; the same where one way is given
 */
public record ClusterAccess(TestCluster cluster, WorkSpec.Access plain, WorkSpec.Access tls) {

  /**
   * One way for all.
   *
   * @param cluster for its administration
   * @param access how clients reach it
   * @return that cluster
   */
  public static ClusterAccess of(TestCluster cluster, WorkSpec.Access access) {
    return new ClusterAccess(cluster, access, access);
  }

  /** How a client reaches it that wants TLS, or does not. */
  WorkSpec.Access access(WorkSpec spec) {
    return spec.access().tls() ? tls : plain;
  }
}
