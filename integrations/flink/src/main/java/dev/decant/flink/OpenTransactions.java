package dev.decant.flink;

import java.io.IOException;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;

/** The transactions that are open on the cluster. */
final class OpenTransactions {
  private OpenTransactions() {}

  /**
   * Asks all coordinators (KIP-664, brokers from 3.0 on).
   *
   * @param settings of a producer
   * @return the transactional ids that the right to describe them shows; who may write may describe
   */
  static List<String> list(Properties settings) throws IOException {
    Properties own = new Properties();
    own.putAll(settings);
    try (Admin admin = Admin.create(own)) {
      return admin.listTransactions(new ListTransactionsOptions().filterStates(Set.of(TransactionState.ONGOING))).all()
          .get().stream().map(TransactionListing::transactionalId).toList();
    } catch (ExecutionException e) {
      throw new IOException("the brokers do not list open transactions, so none of an earlier run can be aborted: "
          + e.getCause(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while open transactions were listed", e);
    }
  }
}
