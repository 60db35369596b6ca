package dev.decant.fix.quickfix;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** The tables of QuickFIX/J's JdbcStore. */
public final class Tables {
  private static final String ID = "beginstring CHAR(8) NOT NULL, sendercompid VARCHAR(64) NOT NULL,"
      + " sendersubid VARCHAR(64) NOT NULL, senderlocid VARCHAR(64) NOT NULL, targetcompid VARCHAR(64) NOT NULL,"
      + " targetsubid VARCHAR(64) NOT NULL, targetlocid VARCHAR(64) NOT NULL, session_qualifier VARCHAR(64) NOT NULL,";
  private static final String KEY = "beginstring, sendercompid, sendersubid, senderlocid, targetcompid, targetsubid,"
      + " targetlocid, session_qualifier";

  private Tables() {}

  /** Makes both tables. */
  public static void create(DataSource database) throws SQLException {
    try (Connection connection = database.getConnection(); Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE sessions (" + ID + " creation_time TIMESTAMP NOT NULL,"
          + " incoming_seqnum INT NOT NULL, outgoing_seqnum INT NOT NULL, PRIMARY KEY (" + KEY + "))");
      statement.execute("CREATE TABLE messages (" + ID + " msgseqnum INT NOT NULL, message VARCHAR(100000) NOT NULL,"
          + " PRIMARY KEY (" + KEY + ", msgseqnum))");
    }
  }

  static int nextOutbound(DataSource database, String sender) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(
            "SELECT outgoing_seqnum FROM sessions WHERE sendercompid='" + sender + "'")) {
      rows.next();
      return rows.getInt(1);
    }
  }
}
