package dev.decant.fix.message;

/** Tags of the fields that the session layer reads or writes. */
public final class Tag {
  /** BeginSeqNo. */
  public static final int BEGIN_SEQ_NO = 7;
  /** BeginString. */
  public static final int BEGIN_STRING = 8;
  /** BodyLength. */
  public static final int BODY_LENGTH = 9;
  /** CheckSum. */
  public static final int CHECK_SUM = 10;
  /** EndSeqNo. */
  public static final int END_SEQ_NO = 16;
  /** MsgSeqNum. */
  public static final int MSG_SEQ_NUM = 34;
  /** MsgType. */
  public static final int MSG_TYPE = 35;
  /** NewSeqNo. */
  public static final int NEW_SEQ_NO = 36;
  /** PossDupFlag. */
  public static final int POSS_DUP_FLAG = 43;
  /** RefSeqNum. */
  public static final int REF_SEQ_NUM = 45;
  /** SenderCompID. */
  public static final int SENDER_COMP_ID = 49;
  /** SenderSubID. */
  public static final int SENDER_SUB_ID = 50;
  /** SendingTime. */
  public static final int SENDING_TIME = 52;
  /** TargetCompID. */
  public static final int TARGET_COMP_ID = 56;
  /** TargetSubID. */
  public static final int TARGET_SUB_ID = 57;
  /** Text. */
  public static final int TEXT = 58;
  /** Signature. */
  public static final int SIGNATURE = 89;
  /** SignatureLength. */
  public static final int SIGNATURE_LENGTH = 93;
  /** RawDataLength. */
  public static final int RAW_DATA_LENGTH = 95;
  /** RawData. */
  public static final int RAW_DATA = 96;
  /** PossResend. */
  public static final int POSS_RESEND = 97;
  /** EncryptMethod. */
  public static final int ENCRYPT_METHOD = 98;
  /** HeartBtInt. */
  public static final int HEART_BT_INT = 108;
  /** TestReqID. */
  public static final int TEST_REQ_ID = 112;
  /** OnBehalfOfCompID. */
  public static final int ON_BEHALF_OF_COMP_ID = 115;
  /** OnBehalfOfSubID. */
  public static final int ON_BEHALF_OF_SUB_ID = 116;
  /** OrigSendingTime. */
  public static final int ORIG_SENDING_TIME = 122;
  /** GapFillFlag. */
  public static final int GAP_FILL_FLAG = 123;
  /** DeliverToCompID. */
  public static final int DELIVER_TO_COMP_ID = 128;
  /** DeliverToSubID. */
  public static final int DELIVER_TO_SUB_ID = 129;
  /** ResetSeqNumFlag. */
  public static final int RESET_SEQ_NUM_FLAG = 141;
  /** SenderLocationID. */
  public static final int SENDER_LOCATION_ID = 142;
  /** TargetLocationID. */
  public static final int TARGET_LOCATION_ID = 143;
  /** OnBehalfOfLocationID. */
  public static final int ON_BEHALF_OF_LOCATION_ID = 144;
  /** DeliverToLocationID. */
  public static final int DELIVER_TO_LOCATION_ID = 145;
  /** LastMsgSeqNumProcessed. */
  public static final int LAST_MSG_SEQ_NUM_PROCESSED = 369;
  /** RefTagID. */
  public static final int REF_TAG_ID = 371;
  /** RefMsgType. */
  public static final int REF_MSG_TYPE = 372;
  /** SessionRejectReason. */
  public static final int SESSION_REJECT_REASON = 373;
  /** BusinessRejectReason. */
  public static final int BUSINESS_REJECT_REASON = 380;
  /** Username. */
  public static final int USERNAME = 553;
  /** Password. */
  public static final int PASSWORD = 554;
  /** NextExpectedMsgSeqNum. */
  public static final int NEXT_EXPECTED_MSG_SEQ_NUM = 789;
  /** NewPassword. */
  public static final int NEW_PASSWORD = 925;
  /** ApplVerID. */
  public static final int APPL_VER_ID = 1128;
  /** DefaultApplVerID. */
  public static final int DEFAULT_APPL_VER_ID = 1137;

  private Tag() {}
}
