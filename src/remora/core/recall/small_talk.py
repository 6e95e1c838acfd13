"""Words of greeting, thanks, assent and goodbye in many languages: what nobody needs memory for."""

from typing import Final

from remora.core.text import name_key

_TALK: Final = """
hi hey hello hiya howdy yo sup greetings morning evening afternoon night hola holla aloha ahoy
thanks thank thx ty tysm cheers appreciated appreciate welcome np ok okay k kk okey okie oki alright right sure
yes yep yeah
yup ya no nope nah great good nice cool perfect awesome excellent amazing wonderful fantastic brilliant lovely
super
neat sweet wow lol haha hahaha hehe rofl lmao done bye goodbye cya later farewell please sorry oops hm hmm hmmm
uh um
ah oh aha huh fine gotcha understood noted roger ack lgtm yay congrats congratulations bravo well
hallo moin servus tschüss tschuess danke dankeschön bitte ja nein genau prima super toll klasse gut alles klar
passt
bonjour bonsoir salut coucou merci oui non parfait génial bien daccord d'accord voilà adieu
hola buenos buenas días dias tardes noches gracias muchas vale sí si perfecto genial bueno adiós adios
ciao salve buongiorno buonasera grazie prego va bene perfetto ottimo certo arrivederci
olá ola oi bom boa dia tarde noite obrigado obrigada valeu sim não nao ótimo otimo tchau
hoi goedemorgen dank bedankt prima mooi doei dankjewel
cześć czesc dzień dobry dziękuję dzieki dzięki tak nie super dobrze pa
merhaba selam teşekkürler teşekkür sağol tamam evet hayır güle hoşça
hej tack tak bra hejdå moi kiitos kyllä hei takk
привет здравствуйте здравствуй спасибо пожалуйста да нет ок окей хорошо отлично супер понятно ясно пока круто
ладно
привіт дякую так ні добре гаразд
γεια ευχαριστώ ευχαριστω ναι όχι οχι εντάξει ενταξει καλημέρα καλησπέρα
مرحبا اهلا أهلا سلام السلام عليكم شكرا نعم لا حسنا تمام ممتاز
שלום תודה כן לא בסדר מעולה היי
नमस्ते नमस्कार धन्यवाद शुक्रिया हाँ हां नहीं ठीक है अच्छा बढ़िया
สวัสดี ขอบคุณ ใช่ ไม่ โอเค ครับ ค่ะ สวัสดีครับ สวัสดีค่ะ ขอบคุณครับ ขอบคุณค่ะ
xin chào chao cảm ơn cam on vâng không halo terima kasih ya tidak baik oke selamat pagi siang malam
你好 您好 嗨 哈喽 早 早上好 晚上好 晚安 谢谢 謝謝 多谢 感谢 好 好的 好吧 是 是的 对 不 不是 没问题 可以 行 嗯
哦 太好了 很好 不错 棒 再见 拜拜 辛苦了
こんにちは こんばんは おはよう おはようございます ありがとう ありがとうございます どうも はい いいえ うん
オッケー 了解 了解です 了解しました
わかりました なるほど すごい 素晴らしい さようなら お疲れ様 お疲れ様です よろしく よろしくお願いします
すみません
안녕 안녕하세요 감사 감사합니다 고마워 고맙습니다 네 예 아니요 응 좋아 좋아요 좋습니다 알겠습니다 알겠어요
수고하셨습니다 오케이
"""
_FILLERS: Final = """
a about again all and are at back be been day did do does doing everything for friend from get going got guys
have how i i'm im in is it it's its just let lot lots lovely man mate me meet much my now of on one really see
so such talk team thats that that's the there this time to today tomorrow too u up ur us very was way we what
what's whats with work works you your all du dir sehr viel vielen wie geht's gehts es ist das ça ca va très
beaucoup de rien que tal cómo como estás estas está todo muy è come stai tutto molto tudo bem muito как дела
очень большое все так и
"""
_PHRASES: Final = """
how are you, how are you doing, how are things, how is it going, how's it going, what's up, whats up, see you,
see you later, talk to you later, have a nice day, nice to meet you, you too, same here, sounds good,
makes sense, got it, i see, go ahead, carry on, keep going, continue, let's go, never mind, nevermind,
no worries, no problem, you're welcome, that works, works for me, will do, well done, good job, nice work,
great work, do it, i agree, of course, what do you think, who are you, are you there, wie geht's,
wie geht es dir, ça va, qué tal, como estas, как дела, 你好吗, 最近怎么样, 元気ですか, お元気ですか, 잘 지내요,
كيف حالك, आप कैसे हैं
"""

TALK_KEYS: Final = frozenset(name_key(word) for word in _TALK.split())
"""Each of these alone is small talk."""
FILLER_KEYS: Final = frozenset(name_key(word) for word in _FILLERS.split())
"""These say nothing beside small talk: thank you very much."""
PHRASE_KEYS: Final = frozenset(name_key(phrase) for phrase in _PHRASES.split(",") if phrase.strip())
"""Small talk as a whole, though its words are not."""
