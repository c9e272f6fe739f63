"""The fields of a post that are the same in each, for those that have no configuration for them."""

FIELDS = [("List-Id", "Example announcements <announce.lists.example.org>"),
          ("List-Help", "<mailto:announce-request@lists.example.org?subject=help>"),
          ("List-Subscribe", "<mailto:announce-join@lists.example.org>"),
          ("List-Unsubscribe", "<mailto:announce-leave@lists.example.org>, <https://lists.example.org/leave>"),
          ("List-Post", "<mailto:announce@lists.example.org> (Postings are Moderated)"),
          ("List-Owner", "<mailto:announce-owner@lists.example.org>"),
          ("List-Archive", "<https://lists.example.org/announce/>")]
