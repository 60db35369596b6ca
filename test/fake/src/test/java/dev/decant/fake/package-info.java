/** The fake broker beside real ones, and with other people's clients. */
@NullMarked
package dev.decant.fake;

import org.jspecify.annotations.NullMarked;
